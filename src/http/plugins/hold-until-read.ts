import { TLSSocket } from 'node:tls'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type MemoryBudget, type MemoryShare, SMALL_CALL_BYTES_MAX } from '../../base/index.ts'
import { exchangeOf } from '../transport/exchange.ts'

/** Answers to strangers up to this length are not counted: metrics must be told also when nothing else is. */
const STRANGER_BYTES_FREE = 64 * 1024

/** As much for callers who have said who they are: not worth counting. */
const KNOWN_BYTES_FREE = 128 * 1024

/** TLS encrypts all that it is given, beside it. */
const TLS_COPIES = 2

/** A whole answer on its way out of Fastify. */
interface WholeAnswer {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly payload: string | Buffer
}

/** Counts a long answer until it has left or its connection is gone, and tells what to send; refuses without room. */
export async function holdUntilRead(
  budget: MemoryBudget,
  answer: WholeAnswer,
): Promise<string | Buffer> {
  const { request, reply, payload } = answer
  if (request.caller !== undefined) return await holdKnown(budget, answer)
  const bytes = payload.length
  if (bytes <= STRANGER_BYTES_FREE) return payload
  if (!budget.addStranger(bytes)) throw budget.refuseStranger()
  reply.raw.once('close', () => budget.endStranger(bytes))
  return payload
}

/** Never of the part for small calls, as nobody can tell when an answer is read. */
async function holdKnown(
  budget: MemoryBudget,
  { request, reply, payload }: WholeAnswer,
): Promise<string | Buffer> {
  // No text takes more than three bytes a character.
  if (payload.length * 3 <= KNOWN_BYTES_FREE) return payload
  // Of a text Node would keep the bytes beside it.
  const body = typeof payload === 'string' ? Buffer.from(payload) : payload
  if (body.length <= KNOWN_BYTES_FREE) return body
  const copies = request.raw.socket instanceof TLSSocket ? TLS_COPIES : 1
  // One that takes more than there can be for a call has all of it.
  const bytes = Math.min(copies * body.length, budget.shareBytesMax)
  const share = budget.takeNow(bytes) ?? (await takeLater(budget, bytes, reply))
  const exchange = exchangeOf(request.raw)
  if (exchange !== undefined) exchange.held = share
  if (reply.raw.destroyed) share.release()
  else reply.raw.once('close', () => share.release())
  return body
}

async function takeLater(
  budget: MemoryBudget,
  bytes: number,
  { raw }: FastifyReply,
): Promise<MemoryShare> {
  const gone = new AbortController()
  const leave = () => gone.abort()
  raw.once('close', leave)
  try {
    const wanted = Math.max(bytes, SMALL_CALL_BYTES_MAX + 1)
    const share = await budget.take(wanted, { heldBytes: bytes, signal: gone.signal })
    share.resizeNow(bytes)
    return share
  } finally {
    raw.off('close', leave)
  }
}
