/** Finds the streams and templates that refer to a cycle, a unit or a delete profile. */
import { allows, type Principal } from '../../access/index.ts'
import { nextIteration } from '../../base/index.ts'
import type { StoredStream } from '../../store/index.ts'
import { cycleUidsOf } from '../documents/catalog-base.ts'
import type { Documents } from '../documents/documents.ts'
import { INTERVAL } from '../shape/stream-kind.ts'
import { type StreamBody, streamBodyOf } from '../shape/stream-shape.ts'
import type { FindUses } from './simple-records.ts'
import type { TemplateBody } from './template.ts'

/** References that a message names. If there is one more, the message says so. */
const USES_NAMED_MAX = 5
/** Streams looked at before others get a turn: about a millisecond. */
const STREAMS_PER_STEP = 50
const TEMPLATES_PER_PAGE = 100
const ID_LENGTH_SHOWN = 60

/** Where a stream refers to records of a kind. */
type ReferenceField = 'baseCycle' | 'unit' | 'delete_profile'

/** Lists the records that refer to a record by a field; what the caller may not see is not named. */
export function usesBy(documents: Documents, field: ReferenceField): FindUses {
  return async (principal, uid) => {
    const uses: string[] = []
    const refers = (stream: StreamBody) =>
      field === 'baseCycle' ? cycleUidsOf(stream).includes(uid) : stream[field]?.uid === uid
    await findTemplates(documents, principal, { refers, uses })
    await findStreams(documents, principal, { field, refers, uses })
    return uses.length <= USES_NAMED_MAX ? uses : [...uses.slice(0, USES_NAMED_MAX), 'others']
  }
}

interface Search {
  readonly refers: (stream: StreamBody) => boolean
  readonly uses: string[]
}

async function findTemplates(
  documents: Documents,
  principal: Principal,
  { refers, uses }: Search,
): Promise<void> {
  const kind = 'component_template'
  const query = { orgUid: principal.orgUid, kind, limit: TEMPLATES_PER_PAGE }
  for (let start = 0; uses.length <= USES_NAMED_MAX; start += TEMPLATES_PER_PAGE) {
    const page = await documents.list({ ...query, start })
    for (const document of page.documents) {
      const template = document.body as unknown as TemplateBody
      if (!template.stream.some(refers)) continue
      const isSeen = allows(principal, `${kind}/${document.uid}`, 'GET')
      uses.push(isSeen ? `template ${shown(template)}` : 'a template that you cannot access')
    }
    if (page.documents.length < TEMPLATES_PER_PAGE) return
    await nextIteration()
  }
}

async function findStreams(
  documents: Documents,
  principal: Principal,
  { field, refers, uses }: Search & { readonly field: ReferenceField },
): Promise<void> {
  const { index } = documents
  let looked = 0
  for (const handle of index.handlesOf(principal.orgUid)) {
    if (uses.length > USES_NAMED_MAX) return
    // The index knows which streams have such a reference at all, except for units.
    const hasCycle = index.kindOf(handle) === INTERVAL || index.isDerived(handle)
    if (field === 'baseCycle' && !hasCycle) continue
    if (field === 'delete_profile' && !index.hasDeleteProfile(handle)) continue
    looked += 1
    if (looked % STREAMS_PER_STEP === 0) await nextIteration()
    if (!index.has(handle)) continue
    const stream = await documents.getStreamOnce(principal.orgUid, index.streamUid(handle))
    if (stream === undefined || !refers(streamBodyOf(stream))) continue
    if (index.has(handle)) uses.push(nameStream(documents, principal, stream))
  }
}

function nameStream({ index }: Documents, principal: Principal, stream: StoredStream): string {
  const component = index.componentOf(stream.handle)
  const resource = `component/${component.uid}/stream/${stream.uid}`
  if (!allows(principal, resource, 'GET')) return 'a stream that you cannot access'
  return `stream ${shown(stream)} of component "${component.compId.slice(0, ID_LENGTH_SHOWN)}"`
}

function shown({ id, name }: { readonly id: string; readonly name: string }): string {
  return `"${(id || name).slice(0, ID_LENGTH_SHOWN)}"`
}
