import type { Principal } from '../../access/index.ts'
import { maySeeComponents, maySeeStream } from '../../auth/index.ts'
import type { ScrubFinding, ScrubState, StorageSizes, StreamPlaces } from '../../store/index.ts'

/** The response of GET /api/storage. */
interface StorageFacts {
  readonly sizes: StorageSizes
  readonly scrub: ScrubState
  readonly damaged: readonly ScrubFinding[]
}

/** The ID of a component, as texts about the catalog quote it. */
const COMPONENT_ID = /\bcomponent "(?:[^"\\]|\\.)*"/g
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi

/** The storage of the service as an operator sees it: streams are named to those who may see them. */
export function showStorage(facts: StorageFacts, principal: Principal, places: StreamPlaces) {
  const { journal, journalSegments, ...sizes } = facts.sizes
  const { last } = facts.scrub
  return {
    sizes: { ...sizes, journal, files: last?.bytesByPart.files ?? null },
    journal: { segments: journalSegments, bytes: journal },
    scrub: {
      ...showRun(facts.scrub),
      damaged: facts.damaged.map((finding) => showFinding(finding, principal, places)),
    },
  }
}

/** How far a scrub is and when the last one was. */
export function showRun({ running, last }: ScrubState) {
  const progress = running && { part: running.part ?? '', ...countsOf(running) }
  const checked = last === undefined ? null : countsOf(last)
  return { time: last?.time ?? null, checked, running: progress ?? null }
}

function countsOf({ items, bytes }: { readonly items: number; readonly bytes: number }) {
  return { items, bytes }
}

function showFinding(finding: ScrubFinding, principal: Principal, places: StreamPlaces) {
  const { part, handle, what } = finding
  const place = handle === undefined ? undefined : places.placeOf(handle)
  if (place === undefined) {
    const { from = null, until = null } = finding
    return { part, stream: null, from, until, what: shownWhat(what, principal) }
  }
  if (!maySeeStream(principal, place)) {
    const hidden = 'a stream that you may not see: weir check names it on the machine itself'
    return { part, stream: null, from: null, until: null, what: hidden }
  }
  const component = { uid: place.componentUid, id: place.componentId }
  const stream = { uid: place.uid, id: place.id, component }
  return { part, stream, from: finding.from ?? null, until: finding.until ?? null, what }
}

/** Without UIDs, and without the IDs of components that the caller may not see. */
function shownWhat(what: string, principal: Principal): string {
  const [, orgUid = ''] = /of organization (\S+) does not check$/.exec(what) ?? []
  const shown = maySeeComponents(principal, orgUid)
    ? what
    : what.replaceAll(COMPONENT_ID, 'component …')
  return shown.replaceAll(UUID, '…')
}
