/** The one way in which answers leave, and the memory that long ones hold until they have. */
import { Readable } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { type MemoryBudget, type MemoryShare, SMALL_CALL_BYTES_MAX } from '../../base/index.ts'
import { answerHeaders } from '../transport/answer.ts'
import type { Exchange } from '../transport/exchange.ts'
import { Answer } from './call-answer.ts'
import type { HttpOperation } from './http-operation.ts'

/** Responses to unauthenticated clients up to this length are not counted: metrics must work under full load. */
const UNAUTHENTICATED_BYTES_FREE = 64 * 1024

/** As much for callers who have said who they are: not worth counting. */
const KNOWN_BYTES_FREE = 128 * 1024

/** TLS encrypts all that it is given, beside it. */
const TLS_COPIES = 2

/** Statuses without a body and without its length. */
const BODILESS: ReadonlySet<number> = new Set([204, 304])

/** What an answer is sent with. */
interface Sending {
  readonly exchange: Exchange
  /** Whose defaults the answer has, where it is one's. */
  readonly operation?: Pick<HttpOperation, 'status' | 'isSecret'>
  readonly budget: MemoryBudget
  /** Whether the caller has said who it is. */
  readonly isKnown: boolean
}

/**
 * Sends what an operation has answered; `onEarlyError` is called when a stream fails before its first byte.
 * No promise where the answer need not wait for memory.
 */
export function sendAnswer(
  sending: Sending,
  result: unknown,
  onEarlyError: (error: unknown) => void = () => {},
): Promise<void> | undefined {
  const { exchange, operation } = sending
  const { body, head } = asAnswer(result)
  const status = head.status ?? operation?.status ?? 200
  if (body instanceof Readable) {
    const headers = headersOf(sending, head.headers, undefined)
    exchange.reply.sendStream(status, headers, { body, trailer: head.trailer, onEarlyError })
    return
  }
  const send = (held: string | Uint8Array) => sendWhole(sending, { status, head, body: held })
  if (!isShort(body, sending)) return holdUntilRead(sending, body).then(send)
  send(body)
}

function sendWhole(
  sending: Sending,
  answer: Pick<Answer, 'head'> & { readonly status: number; readonly body: string | Uint8Array },
): void {
  const { exchange } = sending
  const { status, head, body: held } = answer
  if (exchange.reply.isOver) return
  const length = typeof held === 'string' ? Buffer.byteLength(held) : held.byteLength
  const headers = headersOf(sending, head.headers, BODILESS.has(status) ? undefined : length)
  exchange.reply.send(status, headers, held)
}

function asAnswer(result: unknown): Pick<Answer, 'body' | 'head'> {
  if (result instanceof Answer) return result
  if (typeof result === 'string' || result instanceof Uint8Array) return { body: result, head: {} }
  return { body: JSON.stringify(result), head: {} }
}

/** The headers of an answer, and what its operation says of all its answers. */
function headersOf(
  { exchange, operation }: Sending,
  own: Answer['head']['headers'] = {},
  length: number | undefined,
): string[] {
  const allHeaders = operation?.isSecret === true ? { 'Cache-Control': 'no-store', ...own } : own
  return answerHeaders(exchange, allHeaders, length)
}

/** Whether an answer is so short, or its memory held already, that it need not be counted. */
function isShort(body: string | Uint8Array, { exchange, isKnown }: Sending): boolean {
  if (exchange.held !== undefined) return true
  // No text takes more than three bytes a character.
  const most = typeof body === 'string' && isKnown ? body.length * 3 : body.length
  return most <= (isKnown ? KNOWN_BYTES_FREE : UNAUTHENTICATED_BYTES_FREE)
}

/** Counts a long answer until it has left or its connection is gone; refuses without room. */
async function holdUntilRead(
  { exchange, budget, isKnown }: Sending,
  body: string | Uint8Array,
): Promise<string | Uint8Array> {
  if (!isKnown) {
    const bytes = body.length
    if (!budget.addUnauthenticated(bytes)) throw budget.refuseUnauthenticated()
    exchange.reply.onceOver(() => budget.endUnauthenticated(bytes))
    return body
  }
  // Of a text Node would keep the bytes beside it.
  const whole = typeof body === 'string' ? Buffer.from(body) : body
  if (whole.length <= KNOWN_BYTES_FREE) return whole
  const copies = exchange.req.socket instanceof TLSSocket ? TLS_COPIES : 1
  // One that takes more than there can be for a call has all of it.
  const bytes = Math.min(copies * whole.length, budget.shareBytesMax)
  const share = budget.takeNow(bytes) ?? (await takeLater(budget, bytes, exchange))
  exchange.held = share
  if (exchange.reply.isOver) share.release()
  return whole
}

/** Never of the part for small calls, as nobody knows when a response is read. */
async function takeLater(
  budget: MemoryBudget,
  bytes: number,
  { reply }: Exchange,
): Promise<MemoryShare> {
  const gone = new AbortController()
  reply.onceOver(() => gone.abort())
  const wanted = Math.max(bytes, SMALL_CALL_BYTES_MAX + 1)
  const share = await budget.take(wanted, { heldBytes: bytes, signal: gone.signal })
  share.resizeNow(bytes)
  return share
}
