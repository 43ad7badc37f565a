import { Readable } from 'node:stream'
import { type MemoryBudget, type MemoryShare, refuse } from '../../base/index.ts'
import { collectBody, inflatedChunks, requireEncoding } from './body.ts'

/** How a body is sent, and who learns that it is too long. */
interface SmallBody {
  readonly contentEncoding: string | undefined
  readonly contentLength: string | undefined
  /** The most bytes, before and after inflating. */
  readonly limitBytes: number
  /** Whether the caller has said who it is. */
  readonly isKnown: boolean
}

/** What a decoder takes for itself. */
const DECODER_BYTES = 128 * 1024

/** What the memory of a body without a length begins with. */
const FIRST_BYTES = 4 * 1024

/**
 * Reads a body of a call whose bodies are small and hands it to `use`. Received bytes are counted
 * in the memory budget as they arrive. A decoder is opened only when the body is complete, so a client
 * that sends a little and stops does not hold one.
 */
export async function withSmallBody<T>(
  source: Readable,
  body: SmallBody,
  budget: MemoryBudget | undefined,
  use: (bytes: Buffer) => T,
): Promise<T> {
  const { contentEncoding, contentLength, limitBytes, isKnown } = body
  const isEncoded = requireEncoding(contentEncoding)
  if (Number(contentLength ?? 0) > limitBytes) refuse('body_too_large', { limitBytes })
  using held = await holdingFor(budget, isKnown, Number(contentLength ?? FIRST_BYTES))
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of inflatedChunks(source, undefined)) {
    bytes += part.length
    if (bytes > limitBytes) refuse('body_too_large', { limitBytes })
    await held.grow(bytes)
    parts.push(part)
  }
  const sent = Buffer.concat(parts, bytes)
  if (!isEncoded) return use(sent)
  // The pieces of what inflates, and the whole that they are put together to.
  await held.growToInflate(DECODER_BYTES + 2 * limitBytes)
  return use(await collectBody(Readable.from([sent]), { contentEncoding, limitBytes }))
}

interface Holding extends Disposable {
  /** Counts `bytes` bytes, all that were received of the body so far. */
  grow(bytes: number): Promise<void> | undefined
  /** Counts `bytes` more bytes while the body is inflated. */
  growToInflate(bytes: number): Promise<void> | undefined
}

const UNCOUNTED: Holding = {
  grow: () => undefined,
  growToInflate: () => undefined,
  [Symbol.dispose]: () => {},
}

async function holdingFor(
  budget: MemoryBudget | undefined,
  isKnown: boolean,
  bytes: number,
): Promise<Holding> {
  if (budget === undefined) return UNCOUNTED
  return isKnown ? holdingShare(await budget.take(bytes)) : holdingUnauthenticated(budget)
}

function holdingShare(share: MemoryShare): Holding {
  return {
    grow: (bytes) => (bytes > share.bytes ? share.resize(bytes * 2) : undefined),
    growToInflate: (bytes) => share.resize(share.bytes + bytes),
    [Symbol.dispose]: () => share.release(),
  }
}

function holdingUnauthenticated(budget: MemoryBudget): Holding {
  let unauthenticatedBytes = 0
  let inflating: MemoryShare | undefined
  return {
    grow: (bytes) => {
      if (!budget.addUnauthenticated(bytes - unauthenticatedBytes))
        throw budget.refuseUnauthenticated()
      unauthenticatedBytes = bytes
      return undefined
    },
    // Inflating what is small takes little time, and a client cannot prolong it.
    growToInflate: async (bytes) => {
      inflating = await budget.take(bytes, { heldBytes: unauthenticatedBytes })
    },
    [Symbol.dispose]: () => {
      budget.endUnauthenticated(unauthenticatedBytes)
      inflating?.release()
    },
  }
}
