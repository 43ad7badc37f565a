/** What the creation of streams takes of the memory budget. */
import type { MemoryShare } from '../../base/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import type { MissingTarget } from './resolve-targets.ts'

/**
 * Measured for plans, columns and their copies in the writer thread, with half as much again
 * for what the collectors of the two threads have not taken yet.
 */
export const CREATED_COMPONENT_BYTES = 3_000
export const CREATED_STREAM_BYTES = 1_500

/** A device that signs on: too little to be counted. */
const UNCOUNTED_BYTES_MAX = 64 * 1024

/** What the creation of missing streams takes, those that templates of components bring among them. */
export async function bytesOfCreation(
  { templates, createMax }: Pick<Catalog, 'templates' | 'createMax'>,
  orgUid: string,
  missing: readonly Pick<MissingTarget, 'component' | 'compId' | 'creation'>[],
): Promise<number> {
  let components = 0
  let last: string | undefined
  const templated = new Map<string, number>()
  for (const { component, compId, creation } of missing) {
    // Streams of a component that come apart count it again: too much rather than a set of all IDs.
    const isCounted = component !== undefined || compId === last
    last = compId
    if (isCounted) continue
    components += 1
    const { compTmplId = '' } = creation
    if (compTmplId !== '') templated.set(compTmplId, (templated.get(compTmplId) ?? 0) + 1)
  }
  let streams = missing.length
  for (const [compTmplId, count] of templated) {
    const template = await templates.findById(orgUid, compTmplId)
    streams += count * (template?.stream.length ?? 0)
  }
  // More than this is refused on the way.
  const created = Math.min(streams, Math.max(createMax, missing.length))
  return components * CREATED_COMPONENT_BYTES + created * CREATED_STREAM_BYTES
}

/**
 * Runs a creation while the share of its call is larger by what it takes, and tells it whether that
 * had to be waited for. Waits before anything is prepared, and refuses what does not fit: then nothing is made.
 */
export async function whileCreating<T>(
  share: MemoryShare | undefined,
  bytes: number,
  create: (hasWaited: boolean) => Promise<T>,
): Promise<T> {
  if (share === undefined || bytes <= UNCOUNTED_BYTES_MAX) return create(false)
  const isAtOnce = share.resizeNow(share.bytes + bytes)
  if (!isAtOnce) await share.resize(share.bytes + bytes)
  try {
    return await create(!isAtOnce)
  } finally {
    await share.resize(Math.max(share.bytes - bytes, 0))
  }
}
