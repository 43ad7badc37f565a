import type { PlannedChunk } from './merge-leaf.ts'

/** Chunks of one leaf: its index stays small, and a leaf holds half a million samples. */
const LEAF_CHUNKS_MAX = 128

/** Bytes of the chunks of one leaf, give or take a chunk; replaced ones may lie beside them for a while. */
const LEAF_BYTES_MAX = 16 * 1024 * 1024

/**
 * Splits the chunks of a leaf that has become too large. If it grew at its end, the existing chunks stay and the new
 * ones begin another leaf. If it grew inside, it is split into equal parts, so that each has room.
 */
export function partLeaf(chunks: readonly PlannedChunk[]): PlannedChunk[][] {
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.bytes, 0)
  if (chunks.length <= LEAF_CHUNKS_MAX && bytes <= LEAF_BYTES_MAX) return [[...chunks]]
  const isAtEnd = chunks.at(-1)?.kept === undefined
  const parts = Math.ceil(Math.max(chunks.length / LEAF_CHUNKS_MAX, bytes / LEAF_BYTES_MAX))
  const chunksMax = isAtEnd ? LEAF_CHUNKS_MAX : Math.ceil(chunks.length / parts)
  const leaves: PlannedChunk[][] = [[]]
  let held = 0
  for (const chunk of chunks) {
    const leaf = leaves[leaves.length - 1]
    if (leaf.length > 0 && (leaf.length >= chunksMax || held + chunk.bytes > LEAF_BYTES_MAX)) {
      leaves.push([chunk])
      held = chunk.bytes
      continue
    }
    leaf.push(chunk)
    held += chunk.bytes
  }
  return leaves
}
