/** What the creation of streams takes of the memory budget. */
import type { MemoryShare } from '../../base/index.ts'
import type { MissingTarget } from './resolve-targets.ts'

/**
 * Measured for plans, documents, orders and their copies in the writer thread, with half as much again
 * for what the collectors of the two threads have not taken yet.
 */
export const CREATED_COMPONENT_BYTES = 3_000
export const CREATED_STREAM_BYTES = 1_500

/** A device that signs on: too little to be counted. */
const UNCOUNTED_BYTES_MAX = 64 * 1024

function bytesOfCreation(missing: readonly MissingTarget[]): number {
  const components = new Set<string>()
  for (const { component, compId } of missing) if (component === undefined) components.add(compId)
  return components.size * CREATED_COMPONENT_BYTES + missing.length * CREATED_STREAM_BYTES
}

/**
 * Runs a creation while the share of its call is larger by what it takes. Waits for that before
 * anything is prepared, and refuses what does not fit: then nothing is made.
 */
export async function whileCreating<T>(
  share: MemoryShare | undefined,
  missing: readonly MissingTarget[],
  create: () => Promise<T>,
): Promise<T> {
  const bytes = bytesOfCreation(missing)
  if (share === undefined || bytes <= UNCOUNTED_BYTES_MAX) return create()
  await share.resize(share.bytes + bytes)
  try {
    return await create()
  } finally {
    await share.resize(Math.max(share.bytes - bytes, 0))
  }
}
