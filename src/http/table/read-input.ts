/** The bodies of calls, however they arrive: in the connection's memory, or still on their way. */
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { invariant, type MemoryBudget, refuse } from '../../base/index.ts'
import { parseJsonBody, requireEncoding } from '../transport/body.ts'
import type { Exchange } from '../transport/exchange.ts'
import {
  type BodyForm,
  bytesWhileRead,
  hasBody,
  readWholeBody,
  requireBodyFits,
  type UseBytes,
} from '../transport/read-whole-body.ts'
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
  readonly budget: MemoryBudget
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
      if (input.types !== undefined && hasBody(reading.exchange.req) && !input.types.includes(type))
        refuseType(input.types)
      return await readValue(reading, input, (bytes) => bytes.toString('utf8'))
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
  form: BodyForm & { readonly takesAnyType: boolean },
): Promise<unknown> {
  const { headers } = reading.exchange.req
  const isTaken = form.takesAnyType || isJson(typeOf(reading.exchange))
  // A body that is announced need not be read to be refused.
  if (!isTaken && Number(headers['content-length'] ?? 0) > 0) refuseType()
  return await readValue(reading, form, (bytes) => {
    if (bytes.byteLength === 0) return undefined
    if (!isTaken) refuseType()
    // What decoding would change could not be kept.
    if (!isUtf8(bytes)) refuse('bad_input', { what: 'Cannot read the body: it must be UTF-8' })
    return parseJsonBody(bytes.toString('utf8'))
  })
}

/** An encoding that is not known is refused even where the body is empty. */
async function readValue<T>(
  reading: Reading,
  form: BodyForm,
  use: (bytes: Buffer) => T,
): Promise<T> {
  requireEncoding(reading.exchange.req.headers['content-encoding'])
  return await readWhole(reading, form, use)
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

function refuseType(taken: readonly string[] = ['application/json']): never {
  refuse('unsupported_media_type', { what: `Send the body as ${taken.join(' or ')}` })
}

/** Reads the bytes of a body for `call.withBytes`. */
export async function readBytes<T>(reading: Reading, use: UseBytes<T>): Promise<T> {
  const { input } = reading.operation
  invariant(input.kind === 'bytes', 'only inputs of the kind "bytes" have bytes')
  if (input.isKept === true) reading.body.own()
  return await readWhole(reading, input, use)
}

/** Reads a body and hands it to `use`; its memory is in the budget until that is done. */
async function readWhole<T>(
  { body, budget, isKnown }: Reading,
  form: BodyForm,
  use: UseBytes<T>,
): Promise<T> {
  const { current } = body
  if (!Buffer.isBuffer(current)) return await readWholeBody(current, { form, budget, isKnown }, use)
  requireBodyFits(current.length, { form, budget })
  const heldBytes = bytesWhileRead(current.length)
  if (!budget.addSmall(heldBytes)) {
    body.own()
    await budget.waitSmall(heldBytes, { heldBytes: current.length })
  }
  try {
    const reading = use(body.current as Buffer, undefined)
    // A reader of lent bytes has read them before it waits. A copy would double the cost of a small put.
    body.release()
    return await reading
  } finally {
    budget.endSmall(heldBytes)
  }
}
