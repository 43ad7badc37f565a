/** The bodies of calls, however they arrive: in the connection's memory, or still on their way. */
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { type MemoryBudget, refuse } from '../../base/index.ts'
import { bytesWhileRead } from '../feed/feed-body-reader.ts'
import { parseJsonBody } from '../transport/body.ts'
import type { Exchange } from '../transport/exchange.ts'
import { withSmallBody } from '../transport/small-body.ts'
import type { UseBytes } from './call.ts'
import type { HttpOperation } from './http-operation.ts'

/** A body that lies in memory of its connection until the call first waits, or that is still to be read. */
export class IncomingBody {
  #body: IncomingMessage | Buffer
  #isLent: boolean

  constructor(body: IncomingMessage | Buffer) {
    this.#body = body
    this.#isLent = Buffer.isBuffer(body)
  }

  /** The body as it is at this moment. */
  get current(): IncomingMessage | Buffer {
    return this.#body
  }

  /** Takes the body out of the connection's memory, which others get when the call waits. */
  own(): void {
    if (!this.#isLent) return
    this.#isLent = false
    this.#body = Buffer.from(this.#body as Buffer)
  }

  /** Marks the body as read. Nothing needs a copy of it. */
  release(): void {
    if (!this.#isLent) return
    this.#isLent = false
    this.#body = NOTHING
  }
}

const NOTHING = Buffer.alloc(0)

/** Who reads a body, and of what it takes memory. */
interface Reading {
  readonly exchange: Exchange
  readonly operation: HttpOperation
  readonly body: IncomingBody
  /** Undefined: only single bodies are bounded. */
  readonly budget: MemoryBudget | undefined
  /** Whether the caller has said who it is. */
  readonly isKnown: boolean
}

/** Reads a body that `run` is given whole: parsed JSON, or a text; undefined of other kinds. */
export async function readInput(reading: Reading): Promise<unknown> {
  const { input } = reading.operation
  switch (input.kind) {
    case 'json':
      return await readJson(reading, input)
    case 'text': {
      const type = typeOf(reading.exchange)
      if (input.types !== undefined && hasBody(reading) && !input.types.includes(type)) refuseType()
      return await readWhole(reading, input.limitBytes, (bytes) => bytes.toString('utf8'))
    }
    case 'none':
    case 'bytes':
    case 'stream':
      return undefined
  }
}

/**
 * JSON, inflated and bounded; an empty body is undefined whatever its type says. What calls itself
 * anything but JSON is refused: a form or a page of another site can send such bodies without asking,
 * and nothing else.
 */
async function readJson(
  reading: Reading,
  { limitBytes, takesAnyType }: { readonly limitBytes: number; readonly takesAnyType: boolean },
): Promise<unknown> {
  const { headers } = reading.exchange.req
  const isTaken = takesAnyType || isJson(typeOf(reading.exchange))
  // A body that is announced need not be read to be refused.
  if (!isTaken && Number(headers['content-length'] ?? 0) > 0) refuseType()
  return await readWhole(reading, limitBytes, (bytes) => {
    if (bytes.byteLength === 0) return undefined
    if (!isTaken) refuseType()
    // What decoding would change could not be kept.
    if (!isUtf8(bytes)) refuse('bad_input', { what: 'Cannot read the body: it must be UTF-8' })
    return parseJsonBody(bytes.toString('utf8'))
  })
}

async function readWhole<T>(
  { exchange, body, budget, isKnown }: Reading,
  limitBytes: number,
  use: (bytes: Buffer) => T,
): Promise<T> {
  const { current } = body
  if (Buffer.isBuffer(current)) {
    if (current.length > limitBytes) refuse('body_too_large', { limitBytes })
    const read = use(current)
    body.release()
    return read
  }
  const { headers } = exchange.req
  const sent = {
    contentEncoding: headers['content-encoding'],
    contentLength: headers['content-length'],
    limitBytes,
    isKnown,
  }
  return await withSmallBody(current, sent, budget, use)
}

function hasBody({ exchange: { req } }: Reading): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = req.headers
  return length !== '0' || encoding !== undefined
}

const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+$/

/** The media type of a body, in lower case and without parameters; blank counts as none. Refuses what is none. */
function typeOf({ req }: Exchange): string {
  const type = (req.headers['content-type'] ?? '').split(';', 1)[0].trim().toLowerCase()
  if (type !== '' && !MEDIA_TYPE.test(type)) refuseType()
  return type
}

/** Whether a type is application/json, or one that is built on it. */
function isJson(type: string): boolean {
  return type === 'application/json' || (type.startsWith('application/') && type.endsWith('+json'))
}

function refuseType(): never {
  refuse('unsupported_media_type', { what: 'Send the body as application/json' })
}

/** Reads the bytes of a body for `call.withBytes`. The memory of a body that waits is in the budget. */
export async function readBytes<T>(
  { operation: { input }, body }: Reading,
  use: UseBytes<T>,
): Promise<T> {
  if (input.kind !== 'bytes') throw new Error('BUG: only inputs of the kind "bytes" have bytes')
  const { reader } = input
  const { current } = body
  if (!Buffer.isBuffer(current))
    return await reader.read(current, async (bytes, held) => use(bytes, held))
  reader.requireFits(current.length)
  if (input.isKept === true) body.own()
  const heldBytes = bytesWhileRead(current.length)
  if (!reader.budget.addSmall(heldBytes)) {
    body.own()
    await reader.budget.waitSmall(heldBytes, { heldBytes: current.length })
  }
  try {
    const reading = use(body.current as Buffer, undefined)
    // A reader of lent bytes has read them before it waits. A copy would double the cost of a small put.
    body.release()
    return await reading
  } finally {
    reader.budget.endSmall(heldBytes)
  }
}
