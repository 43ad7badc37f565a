import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { answerClientError } from './client-error.ts'
import type { StrangerBudget } from './front/body-memory.ts'

/** What of a head that has not arrived in full is free: most arrive in one piece and never wait. */
const FREE_BYTES = 4 * 1024
const BLANK_LINE = Buffer.from('\r\n\r\n')
const NOTHING = Buffer.alloc(0)

/** Where a connection is, as far as its requests tell. */
interface Progress {
  /** Requests whose heads have ended since the last piece. */
  begun: IncomingMessage[]
  /** The request whose body is under way, and how much of it is to come where it has a length. */
  body: IncomingMessage | undefined
  bodyLeft: number
  headBytes: number
  /** The end of the last piece: a blank line may begin in it. */
  tail: Buffer
}

/**
 * Counts the heads of requests in the budget while they arrive: Node's parser keeps all it has of them.
 * Where there is no room the connection is told so and closed.
 */
export class HeadWatch {
  readonly #budget: StrangerBudget
  readonly #connections = new WeakMap<Socket, Progress>()

  constructor(budget: StrangerBudget) {
    this.#budget = budget
  }

  /** Says that the head of a request has ended. */
  note(req: IncomingMessage): void {
    this.#connections.get(req.socket)?.begun.push(req)
  }

  /** Watches a connection that Node's server reads, behind that server's own listeners. */
  watch(socket: Socket): void {
    const budget = this.#budget
    const progress: Progress = {
      begun: [],
      body: undefined,
      bodyLeft: 0,
      headBytes: 0,
      tail: NOTHING,
    }
    this.#connections.set(socket, progress)
    let heldBytes = 0
    const hold = (bytes: number): boolean => {
      if (bytes > heldBytes && !budget.addStranger(bytes - heldBytes)) return false
      if (bytes < heldBytes) budget.endStranger(heldBytes - bytes)
      heldBytes = bytes
      return true
    }
    socket.on('data', (piece: Buffer) => {
      progress.headBytes = headBytesAfter(progress, piece)
      progress.begun = []
      progress.tail = Buffer.from(piece.subarray(-3))
      if (socket.destroyed || hold(Math.max(0, progress.headBytes - FREE_BYTES))) return
      answerClientError(budget.refuseStranger(), socket)
      // It would go on sending what only takes memory.
      socket.destroySoon()
    })
    socket.once('close', () => hold(0))
  }
}

/** How much of a head has arrived that has not ended with this piece. */
function headBytesAfter(progress: Progress, piece: Buffer): number {
  const { begun, body, bodyLeft } = progress
  const last = begun.at(-1)
  if (last === undefined) {
    if (body === undefined) return progress.headBytes + piece.length
    progress.bodyLeft = Math.max(0, bodyLeft - piece.length)
    if (!body.complete) return 0
    progress.body = undefined
    return piece.length - (isChunked(body) ? lastHeadEnd(piece) : Math.min(bodyLeft, piece.length))
  }
  const isByLength = lengthOf(last) > 0 && !isChunked(last)
  const headEnd = isByLength ? nextHeadEnd(progress, piece) : lastHeadEnd(piece)
  const end = headEnd + (isByLength ? lengthOf(last) : 0)
  progress.body = last.complete ? undefined : last
  progress.bodyLeft = Math.max(0, end - piece.length)
  return last.complete ? Math.max(0, piece.length - end) : 0
}

/** Behind the last blank line of a piece; one that began before the piece ends in its first bytes. */
function lastHeadEnd(piece: Buffer): number {
  const at = piece.lastIndexOf(BLANK_LINE)
  return at < 0 ? Math.min(3, piece.length) : at + BLANK_LINE.length
}

/** Where the head of the last request of a piece ends, going over those before it. */
function nextHeadEnd({ begun, bodyLeft, tail }: Progress, piece: Buffer): number {
  let at = bodyLeft
  let headEnd = at
  for (const [index, req] of begun.entries()) {
    const crossing = index === 0 && at === 0 ? endOfCrossing(tail, piece) : -1
    const found = crossing >= 0 ? crossing : piece.indexOf(BLANK_LINE, at) + BLANK_LINE.length
    headEnd = found < at ? at : found
    at = headEnd + lengthOf(req)
  }
  return headEnd
}

function endOfCrossing(tail: Buffer, piece: Buffer): number {
  const at = Buffer.concat([tail, piece.subarray(0, 3)]).indexOf(BLANK_LINE)
  return at < 0 ? -1 : at + BLANK_LINE.length - tail.length
}

function isChunked({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined
}

function lengthOf({ headers }: IncomingMessage): number {
  return Number(headers['content-length'] ?? 0)
}
