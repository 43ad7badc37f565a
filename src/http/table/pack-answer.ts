import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { MemoryBudget } from '../../base/index.ts'
import { takenEncodings } from '../transport/taken-encodings.ts'

const pack = promisify(gzip)

/** Shorter answers are sent as they are: a few packets less are not worth a thread's turn. */
const PACKED_BYTES_MIN = 16 * 1024

/** Columns of numbers become a quarter of their size; further levels take up to ten times as long for a tenth less. */
const LEVEL = 1

/** What zlib keeps of its own while it packs. */
const STATE_BYTES = 512 * 1024

/** How an answer may be packed. */
interface Packing {
  /** What the caller takes. */
  readonly acceptEncoding: string | undefined
  readonly budget: MemoryBudget
}

/**
 * A long answer as gzip, for a caller who takes that; undefined where it is to be sent as it is. It is packed
 * on another thread, and only while the budget has room for both forms at this moment: a caller short of
 * memory does not wait for a smaller answer.
 */
export async function packAnswer(
  body: Buffer,
  { acceptEncoding, budget }: Packing,
): Promise<Buffer | undefined> {
  if (body.length < PACKED_BYTES_MIN) return undefined
  if (!takenEncodings(acceptEncoding).includes('gzip')) return undefined
  const bytes = 2 * body.length + STATE_BYTES
  const share = bytes > budget.shareBytesMax ? undefined : budget.takeNow(bytes)
  if (share === undefined) return undefined
  try {
    return await pack(body, { level: LEVEL })
  } finally {
    share.release()
  }
}
