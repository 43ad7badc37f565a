/** The streams and components that a query asks for, as far as the caller may read them. */
import { allows, allowsEveryFeed, namedBelow, type Principal } from '../../access/index.ts'
import { nextIteration } from '../../base/index.ts'
import type { Catalog, ComponentEntry } from '../../catalog/index.ts'
import type { ComponentRecord } from '../../catalog/shape/index.ts'
import { allowsStream } from '../../feed/index.ts'
import type { StreamHandle } from '../../store/index.ts'
import type { Asked } from './asked-rows.ts'
import { COMPONENT_RECORD, isOfStreamRecord } from './stored-tables.ts'

/** Streams handed on at once, and looked at before others have their turn. */
const SLICE = 512

/** Looked at before others have their turn where most are of other organizations. */
const LOOKED_AT = 5_000

interface FindDeps {
  readonly catalog: Catalog
  readonly principal: Principal
}

const isStream = (handle: StreamHandle | 0): handle is StreamHandle => handle !== 0

/** The streams that conditions on IDs, folders, names and templates leave, some at a time; others may be among them. */
export async function* findAskedStreams(
  { catalog, principal }: FindDeps,
  asked: Asked,
): AsyncGenerator<StreamHandle[]> {
  if (catalog.catchUps.isShared) await catalog.refresh()
  const { index } = catalog
  const ids = asked.texts.get('id')
  const mayRead = streamRights({ catalog, principal }, asked)
  let slice: StreamHandle[] = []
  let looked = 0
  for await (const handles of candidates({ catalog, principal }, asked)) {
    for (const handle of handles) {
      looked += 1
      if (looked % LOOKED_AT === 0) await nextIteration()
      if (!index.has(handle) || (ids !== undefined && !ids.has(index.streamIdOf(handle)))) continue
      if (!mayRead(handle)) continue
      slice.push(handle)
      if (slice.length < SLICE) continue
      yield slice
      slice = []
    }
  }
  if (slice.length > 0) yield slice
}

async function* candidates(
  { catalog, principal }: FindDeps,
  asked: Asked,
): AsyncGenerator<Iterable<StreamHandle>> {
  const { index } = catalog
  const { orgUid } = principal
  const uids = asked.texts.get('uid')
  if (uids !== undefined) {
    yield [...uids].map((uid) => index.streamByUid(orgUid, uid)).filter(isStream)
    return
  }
  const narrowing = ['cid', 'cuid', 'folderpath', 'cname', 'template']
  const isNarrow = narrowing.some((name) => asked.texts.has(name))
  if (!isNarrow) {
    yield index.handlesOf(orgUid)
    return
  }
  const ids = asked.texts.get('id')
  for await (const { entry } of findAskedComponents({ catalog, principal }, asked)) {
    // A blank ID names none, and several streams may have it.
    yield ids === undefined || ids.has('')
      ? entry.streams
      : [...ids].map((id) => index.resolveStream(entry, id)).filter(isStream)
  }
}

/** A component, with its record where that was read to find it. */
interface FoundComponent {
  readonly entry: ComponentEntry
  readonly record?: ComponentRecord
}

/** The components that conditions leave; where none helps, every one of the organization. Others may be among them. */
export async function* findAskedComponents(
  { catalog, principal }: FindDeps,
  { texts }: Asked,
): AsyncGenerator<FoundComponent> {
  if (catalog.catchUps.isShared) await catalog.refresh()
  const { index } = catalog
  const { orgUid } = principal
  const [cids, cuids] = [texts.get('cid'), texts.get('cuid')]
  if (cuids !== undefined || cids?.has('') === false) {
    const named =
      cuids === undefined
        ? [...(cids ?? [])].map((cid) => index.resolveComponent(orgUid, cid))
        : [...cuids].map((uid) => index.componentByUid(orgUid, uid))
    for (const entry of named) if (entry !== undefined) yield { entry }
    return
  }
  for (const folder of texts.get('folderpath') ?? [undefined]) {
    for await (const records of catalog.walkComponents(orgUid, folder)) {
      for (const record of records) {
        if (texts.get('cname')?.has(record.name) === false) continue
        if (texts.get('template')?.has(record.template ?? '') === false) continue
        const entry = index.componentByUid(orgUid, record.uid)
        if (entry !== undefined) yield { entry, record }
      }
    }
  }
}

/**
 * Whether the caller may read a stream: its samples always, and its record and that of its component where
 * columns or conditions are of these.
 */
function streamRights(
  { catalog, principal }: FindDeps,
  { columns, texts }: Asked,
): (handle: StreamHandle) => boolean {
  const { index } = catalog
  const names = [...columns, ...texts.keys()]
  const needsComponent = names.some((name) => COMPONENT_RECORD.has(name))
  const needsStream = names.some(isOfStreamRecord)
  const isOpen = namedBelow(principal, 'component').size === 0
  const mayAll =
    isOpen &&
    allowsEveryFeed(principal, 'GET') &&
    (!needsComponent || allows(principal, 'component/*', 'GET')) &&
    (!needsStream || allows(principal, 'component/*/stream/*', 'GET'))
  if (mayAll) return () => true
  return (handle) => {
    if (!allowsStream(index, principal, handle, 'GET')) return false
    const { uid } = index.componentOf(handle)
    if (needsComponent && !allows(principal, `component/${uid}`, 'GET')) return false
    const stream = `component/${uid}/stream/${index.streamUid(handle)}`
    return !needsStream || allows(principal, stream, 'GET')
  }
}
