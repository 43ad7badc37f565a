import { inSlices, type MemoryShare } from '../../base/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import type { IncomingSamples } from './incoming-samples.ts'
import type { MissingTarget } from './resolve-targets.ts'

/** What a put takes: of the journal, and of the memory budget while it creates streams. */

/** What the record of a put takes beside its samples, and what a sample takes, the bytes of its text aside. */
const PUT_BYTES = 32
const SAMPLE_BYTES = 32

/** The longest text that a number or a boolean becomes where its stream turns out to hold texts. */
const MADE_TEXT_BYTES = 24

/** What a removal takes. */
const REMOVAL_BYTES = 20

/** What a put of one text will take in the journal. */
export function textBytesInJournal(text: string): number {
  return PUT_BYTES + SAMPLE_BYTES + Buffer.byteLength(text)
}

/**
 * What a put will take in the journal, hardly more and not less: what is made for its sake would stay empty
 * if its samples found no room. Texts count as they are written, in bytes: most scripts take two or three a character.
 */
export async function bytesInJournal(
  { count, texts, isNumeric }: Pick<IncomingSamples, 'count' | 'texts' | 'isNumeric'>,
  { removals, missing }: { readonly removals: number; readonly missing: readonly MissingTarget[] },
): Promise<number> {
  let bytes = PUT_BYTES + removals * REMOVAL_BYTES + count * SAMPLE_BYTES
  if (isNumeric && !missing.some(isDefined)) return bytes
  let written = 0
  await inSlices(texts?.length ?? 0, (from, until) => {
    for (let index = from; index < until; index++) {
      const text = texts?.[index]
      if (text === undefined) continue
      bytes += Buffer.byteLength(text)
      written += 1
    }
  })
  return bytes + (count - written) * MADE_TEXT_BYTES
}

/** Whether a template may say which type a stream that is missing gets. */
function isDefined({ component, creation }: MissingTarget): boolean {
  if (component !== undefined || creation.compTmplId !== undefined) return true
  return creation.dtId !== undefined || creation.dsId !== undefined
}

/**
 * Measured for plans, columns and their copies in the writer thread, with half as much again
 * for what the collectors of the two threads have not taken yet.
 */
export const CREATED_COMPONENT_BYTES = 3_000
export const CREATED_STREAM_BYTES = 1_500

/** Creations below this size are not counted, such as one new device. */
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
 * Runs a creation while the share of its call is larger by what it takes, and says whether that
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
