import { type IncomingMessage, METHODS, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { freeBytes, HEADER_BYTES_MAX, nextIteration } from '../../../base/index.ts'
import { answerClientError } from '../client-error.ts'
import type { UnauthenticatedBudget } from './body-memory.ts'
import { UnauthenticatedHold } from './unauthenticated-hold.ts'

const BLANK_LINE = Buffer.from('\r\n\r\n')
/** The last chunk of a body begins so; chunks may, and what is in them. */
const LAST_CHUNK = Buffer.from('\r\n0')
const NOTHING = Buffer.alloc(0)

/** Blank lines may come before a request. */
const BLANK_BEGINNING = /^[\r\n]+/
/** What a request begins with. */
const BEGINNINGS = METHODS.map((method) => `${method} `)
const REQUEST_LINE = /^[A-Z-]+ [^ ]+ HTTP\/1\.[01]$/
/** A field of a head, or the rest of the field before it. */
const FIELD_LINE = /^(?:[^\s:]+:|[ \t])/

/** Parts that the parser is given before others get a turn: only what is made for it has as many. */
const PARTS_MAX = 64

/**
 * Gives Node's parser one request at a time, the next when the answer before it has left: the parser
 * makes objects of all that it is given, and thousands of requests fit into one read. What waits is
 * kept as bytes, counted in the budget of unauthenticated clients, and no more is read; each waits its turn with
 * what others have sent.
 *
 * Only the parser decides where a request ends. It gets bytes up to the next blank line, because
 * headers end only there. Of a body it gets the bytes that its parsed headers announce. A cut in the wrong
 * place costs one more call and changes nothing. Between two requests `takeBack` is asked
 * for the next one: if it takes the bytes, nothing comes here until `begin`.
 */
export class MessageGate {
  readonly #socket: Socket
  readonly #takeBack: (bytes: Buffer) => boolean
  readonly #budget: UnauthenticatedBudget
  readonly #hold: UnauthenticatedHold
  readonly #parse: (bytes: Buffer) => void
  readonly #finish: () => void
  /** What has arrived and was not given to the parser, and the memory it lies in. */
  #rest: Buffer = NOTHING
  #restMemoryBytes = 0
  /** The end of what the parser was given: a blank line may begin in it. */
  #tail: Buffer = NOTHING
  /** What the parser was given of a head that has not ended; it keeps all of it. */
  #headBytes = 0
  /**
   * Whether the parser hides what is wrong with the next head: Node drops the error of a head that follows a request
   * to upgrade. Its lines are then looked at here.
   */
  #isMute = false
  /** The line of the head that has not ended, and whether one has. */
  #headLine = ''
  #hasRequestLine = false
  #begun: IncomingMessage | undefined
  /** The request whose body is under way, and how much of it is to come where it has a length. */
  #body: IncomingMessage | undefined
  #bodyLeft = 0
  /** Whether the last chunk may have come. */
  #isBodyEnding = false
  #answering: ServerResponse | undefined
  #isPaused = false
  #isScheduled = false
  #hasEnded = false
  #isLast = false
  /** Whether the next request is known to be for the parser. */
  #isForParser = false
  #wasTakenBack = false

  /** Stands before the listeners that `attach` gives a connection. */
  constructor(
    socket: Socket,
    attach: () => void,
    takeBack: (bytes: Buffer) => boolean,
    budget: UnauthenticatedBudget,
  ) {
    this.#socket = socket
    this.#takeBack = takeBack
    this.#budget = budget
    this.#hold = new UnauthenticatedHold(budget)
    const [onData, onEnd] = [socket.listeners('data'), socket.listeners('end')]
    attach()
    this.#parse = takeAdded(socket, 'data', onData)
    this.#finish = takeAdded(socket, 'end', onEnd)
    // Node resumes a connection at the end of each request, and in a later turn.
    socket.on('resume', () => {
      if (this.#rest.length > 0) socket.pause()
    })
    socket.on('drain', this.#goOn)
    socket.once('close', () => {
      this.#rest = NOTHING
      this.#hold.resize(0)
    })
  }

  /** Says that the parser has read a head. */
  note(req: IncomingMessage, res: ServerResponse): void {
    this.#begun = req
    this.#isMute = req.headers.upgrade !== undefined
    this.#headLine = ''
    this.#hasRequestLine = false
    this.#answering = res
    res.once('close', () => {
      if (this.#answering !== res) return
      this.#answering = undefined
      if (this.#isLast) this.#socket.destroySoon()
      // An answer leaves without an iteration of the event loop: others would wait for all that was sent ahead.
      if (this.#rest.length > 0) this.#schedule()
      else this.#goOn()
    })
  }

  /** Takes the first bytes of a request that `takeBack` need not be asked about. */
  begin(bytes: Buffer): void {
    this.#isForParser = true
    this.take(bytes)
  }

  /** Takes what has arrived. */
  take(bytes: Buffer): void {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    this.#restMemoryBytes = this.#rest.length
    this.#wasTakenBack = false
    this.#goOn()
    // The parser copies what it keeps; what long bodies were read into would wait for the collector.
    const isDone = this.#rest.length === 0 || this.#rest.buffer !== bytes.buffer
    if (isDone && !this.#wasTakenBack) freeBytes(bytes)
  }

  /** Takes the end of what the client sends. */
  end(): void {
    this.#hasEnded = true
    if (this.#rest.length === 0) this.#finish()
  }

  readonly #goOn = (): void => {
    if (this.#isScheduled) return
    const hadRest = this.#rest.length > 0
    for (let parts = 0; this.#rest.length > 0; parts++) {
      if (this.#isNobodys()) this.#rest = NOTHING
      else if (!this.#mayFeed()) break
      else if (parts === PARTS_MAX) {
        this.#schedule()
        break
      } else if (this.#isBetween() && this.#takeBack(this.#rest)) {
        this.#rest = NOTHING
        this.#isPaused = false
        this.#wasTakenBack = true
        this.#hold.resize(0)
        return
      } else this.#feed()
    }
    if (this.#socket.destroyed) return
    const restBytes = this.#rest.length === 0 ? 0 : this.#restMemoryBytes
    if (!this.#hold.resize(this.#headBytes + restBytes)) this.#refuse()
    if (this.#rest.length > 0) this.#pause()
    else if (hadRest) this.#readOn()
  }

  /** Nothing can be answered any more. */
  #isNobodys(): boolean {
    return this.#isLast || this.#socket.destroyed || this.#socket.writableEnded
  }

  /** Whether the next byte begins a request, so that it may be read elsewhere. */
  #isBetween(): boolean {
    return !this.#isForParser && this.#body === undefined && this.#headBytes === 0
  }

  #mayFeed(): boolean {
    if (this.#body !== undefined) return true
    return this.#answering === undefined && !this.#socket.writableNeedDrain
  }

  #schedule(): void {
    this.#isScheduled = true
    void nextIteration().then(() => {
      this.#isScheduled = false
      this.#goOn()
    })
  }

  #feed(): void {
    this.#isForParser = false
    const rest = this.#rest
    const part = rest.subarray(0, this.#bodyLeft > 0 ? this.#bodyLeft : this.#partEnd(rest))
    this.#rest = rest.subarray(part.length)
    const last = part.length < 4 ? Buffer.concat([this.#tail, part]) : part
    this.#tail = Buffer.from(last.subarray(-3))
    this.#begun = undefined
    this.#parse(part)
    this.#look(part.length)
    if (this.#isMute && this.#headBytes > 0) this.#requireHead(part, last)
  }

  /** Answers a head that is none, has ended, or has become too long, and that the parser has not taken. */
  #requireHead(part: Buffer, last: Buffer): void {
    const isHead = this.#readHeadLines(part)
    const hasEnded = this.#hasRequestLine && last.subarray(-4).equals(BLANK_LINE)
    const isLong = this.#headBytes > HEADER_BYTES_MAX
    if (isHead && !hasEnded && !isLong) return
    const code = isLong ? 'HPE_HEADER_OVERFLOW' : 'HPE_INVALID_CONSTANT'
    answerClientError(Object.assign(new Error(code), { code }), this.#socket)
    this.#isLast = true
    this.#rest = NOTHING
  }

  /** Whether the lines that `part` ends, and what it begins a line with, can be of a head. */
  #readHeadLines(part: Buffer): boolean {
    const lines = `${this.#headLine}${part.toString('latin1')}`.split('\r\n')
    const line = lines.pop() ?? ''
    // Long lines would be copied for each piece; what they begin and end with says enough.
    this.#headLine = line.length > 1024 ? `${line.slice(0, 512)}${line.slice(-16)}` : line
    for (const ended of lines) {
      const text = this.#hasRequestLine ? ended : ended.replace(BLANK_BEGINNING, '')
      if (text === '') continue
      if (!(this.#hasRequestLine ? FIELD_LINE : REQUEST_LINE).test(text)) return false
      this.#hasRequestLine = true
    }
    if (this.#hasRequestLine) return true
    const begun = this.#headLine.replace(BLANK_BEGINNING, '')
    return BEGINNINGS.some((one) => one.startsWith(begun) || begun.startsWith(one))
  }

  /** Updates the known position of the parser after a part of `bytes` bytes. */
  #look(bytes: number): void {
    if (this.#begun !== undefined) {
      const { complete, headers } = this.#begun
      const isByLength = headers['transfer-encoding'] === undefined
      this.#body = complete ? undefined : this.#begun
      this.#bodyLeft = !complete && isByLength ? Number(headers['content-length'] ?? 0) : 0
      this.#headBytes = 0
      this.#isBodyEnding = false
      return
    }
    if (this.#body === undefined) {
      this.#headBytes += bytes
      return
    }
    this.#bodyLeft = Math.max(0, this.#bodyLeft - bytes)
    if (this.#body.complete) this.#body = undefined
  }

  /** Where a head, or a body in chunks, may end in bytes that follow those which were given. */
  #partEnd(rest: Buffer): number {
    const joint = Buffer.concat([this.#tail, rest.subarray(0, 3)])
    let from = 0
    if (this.#body !== undefined && !this.#isBodyEnding) {
      const zeroAt = joint.includes(LAST_CHUNK) ? 0 : rest.indexOf(LAST_CHUNK)
      if (zeroAt < 0) return rest.length
      this.#isBodyEnding = true
      from = zeroAt
    }
    const crossingEnd = joint.indexOf(BLANK_LINE) + BLANK_LINE.length - this.#tail.length
    if (from === 0 && joint.includes(BLANK_LINE) && crossingEnd > 0) return crossingEnd
    const at = rest.indexOf(BLANK_LINE, from)
    return at < 0 ? rest.length : at + BLANK_LINE.length
  }

  #pause(): void {
    this.#isPaused = true
    this.#socket.pause()
  }

  #readOn(): void {
    if (this.#hasEnded) {
      this.#finish()
      return
    }
    if (!this.#isPaused) return
    this.#isPaused = false
    const body = this.#body
    // The reader of the body resumes the connection when it has room.
    if (body === undefined || body.readableLength < body.readableHighWaterMark) {
      this.#socket.resume()
    }
  }

  /** There is no room for what came: what was begun may be answered, and nothing behind it. */
  #refuse(): void {
    const refused = this.#budget.refuseUnauthenticated()
    const answering = this.#answering
    this.#rest = NOTHING
    this.#hold.resize(0)
    this.#isLast = true
    if (answering !== undefined && this.#body === undefined) {
      answering.shouldKeepAlive = false
      return
    }
    if (answering?.headersSent === true) {
      this.#socket.destroy()
      return
    }
    answerClientError(refused, this.#socket)
    // It would go on sending what only takes memory.
    this.#socket.destroySoon()
  }
}

/** Removes the listeners that were added since. The returned function calls them. */
function takeAdded(
  socket: Socket,
  event: 'data' | 'end',
  before: readonly unknown[],
): (bytes?: Buffer) => void {
  const all = socket.listeners(event) as Array<(bytes?: Buffer) => void>
  const added = all.filter((listener) => !before.includes(listener))
  for (const listener of added) socket.removeListener(event, listener)
  return (bytes) => {
    for (const listener of added) listener.call(socket, bytes)
  }
}

/** Makes gates before a server's own listeners, which `attach` gives a connection. */
export function gateMessages(
  server: Server,
  attach: (socket: Socket) => void,
  budget: UnauthenticatedBudget,
): (socket: Socket, takeBack: (bytes: Buffer) => boolean) => MessageGate {
  const gates = new WeakMap<Socket, MessageGate>()
  const note = (req: IncomingMessage, res: ServerResponse): void => {
    gates.get(req.socket)?.note(req, res)
  }
  server.prependListener('request', note)
  if (server.listenerCount('checkExpectation') > 0) server.prependListener('checkExpectation', note)
  return (socket, takeBack) => {
    const gate = new MessageGate(socket, () => attach(socket), takeBack, budget)
    gates.set(socket, gate)
    return gate
  }
}
