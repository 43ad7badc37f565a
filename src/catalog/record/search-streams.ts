import { allows, type Principal, requirePermit } from '../../access/index.ts'
import { BoundedCache, nextIteration } from '../../base/index.ts'
import { CatalogDamaged, type Labels, type StreamHandle } from '../../store/index.ts'
import type { Documents } from '../documents/documents.ts'
import { refuseField } from '../shape/record-checks.ts'
import { foldName } from './fold-name.ts'

/** Streams that one call looks at: some tenths of a second, in slices. The caller goes on with the next ones. */
const LOOKED_MAX = 5_000
/** Streams that are read at once, before others get a turn. */
const STEP = 32
/** A name, `=`, and a value of the most characters each. */
const LABEL_LENGTH_MAX = 4_300
const REMEMBERED_MAX = 1_000
const REMEMBERED_LENGTH = 100

/** A stream that a search found. */
interface FoundByLabel {
  readonly component: { readonly uid: string; readonly id: string; readonly name: string }
  readonly uid: string
  readonly id: string
  readonly name: string
  readonly labels: Labels
}

/** What is searched for, and where the search goes on. */
interface StreamSearch {
  /** `name=value`, or `name=value*` for values that begin so; compared without case and marks. */
  readonly label: string
  /** The `next` of the call before. */
  readonly after: number
  readonly limit: number
}

/** Streams that have a label, as far as the caller may see them, in the order of their creation; `next` goes on where there are more. */
export async function searchStreams(
  documents: Documents,
  principal: Principal,
  { label, after, limit }: StreamSearch,
): Promise<{ streams: readonly FoundByLabel[]; next?: number }> {
  requirePermit(principal, 'component', 'GET')
  const { isName, isText } = readLabel(label)
  const isMatch = (labels: Labels) =>
    Object.entries(labels).some(([name, text]) => isName(name) && isText(text))
  const { index } = documents
  const streams: FoundByLabel[] = []
  let looked = 0
  let last = after
  let step: StreamHandle[] = []
  const take = async () => {
    const found = await Promise.all(
      step.map((handle) => read({ documents, principal, isMatch }, handle)),
    )
    step = []
    streams.push(...found.filter((one) => one !== undefined))
    await nextIteration()
  }
  for (const handle of index.handlesOf(principal.orgUid, after + 1)) {
    if (looked === LOOKED_MAX || streams.length >= limit) break
    looked += 1
    last = handle
    step.push(handle)
    if (step.length === Math.min(STEP, limit - streams.length)) await take()
  }
  await take()
  const isMore = looked === LOOKED_MAX || streams.length >= limit
  return isMore ? { streams, next: last } : { streams }
}

/** Which names and texts of labels match what is searched for. */
interface LabelSearch {
  readonly isName: (name: string) => boolean
  readonly isText: (text: string) => boolean
}

/** Reads a search for labels, such as `site=north`; refuses another text, naming its field. */
export function readLabel(label: string, field = 'label'): LabelSearch {
  if (label.length > LABEL_LENGTH_MAX) {
    refuseField(field, `must have at most ${LABEL_LENGTH_MAX} characters`)
  }
  const end = label.indexOf('=')
  if (end < 1) {
    refuseField(field, 'must have the form name=value, such as site=north or site=no*')
  }
  const name = foldName(label.slice(0, end))
  const isBeginning = label.endsWith('*')
  const value = foldName(label.slice(end + 1, isBeginning ? -1 : undefined))
  // Streams of similar devices share names and values.
  const isText = remember((text) =>
    isBeginning ? foldName(text).startsWith(value) : foldName(text) === value,
  )
  const isName = remember((text) => foldName(text) === name)
  return { isName, isText }
}

/** A test of texts that remembers short ones. */
function remember(holds: (text: string) => boolean): (text: string) => boolean {
  const known = new BoundedCache<string, boolean>(REMEMBERED_MAX)
  return (text) => {
    if (text.length > REMEMBERED_LENGTH) return holds(text)
    const before = known.get(text)
    if (before !== undefined) return before
    const answer = holds(text)
    known.set(text, answer)
    return answer
  }
}

interface Reading {
  readonly documents: Documents
  readonly principal: Principal
  readonly isMatch: (labels: Labels) => boolean
}

/** The stream of a handle, undefined where no label matches, it is gone or damaged, or is not for the caller. */
async function read(
  { documents, principal, isMatch }: Reading,
  handle: StreamHandle,
): Promise<FoundByLabel | undefined> {
  const { index } = documents
  if (!index.has(handle)) return undefined
  const component = index.componentOf(handle)
  const uid = index.streamUid(handle)
  if (!allows(principal, `component/${component.uid}/stream/${uid}`, 'GET')) return undefined
  const { orgUid } = principal
  try {
    const stream = await documents.getStreamOnce(orgUid, uid)
    if (stream?.labels === undefined || !isMatch(stream.labels)) return undefined
    const { id, name, labels } = stream
    const owner = await documents.getComponentOnce(orgUid, component.uid)
    if (owner === undefined) return undefined
    return { component: { uid: owner.uid, id: owner.id, name: owner.name }, uid, id, name, labels }
  } catch (error) {
    if (error instanceof CatalogDamaged) return undefined
    throw error
  }
}
