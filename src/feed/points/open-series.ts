/** The streams of series: found, adopted, or made. */
import type { Principal } from '../../access/index.ts'
import { type MemoryShare, Pacer, Refusal, refuse } from '../../base/index.ts'
import type { CreationRules, WantedComponent, WantedStream } from '../../catalog/create/index.ts'
import {
  type AddressRule,
  addressOfSeries,
  type Catalog,
  type NewAddress,
} from '../../catalog/index.ts'
import { CatalogConflict, type SampleStore } from '../../store/index.ts'
import { requireCreation } from '../feed-rights.ts'
import type { IncomingSamples, OpenSeries } from '../put/incoming-samples.ts'
import {
  bytesInJournal,
  CREATED_COMPONENT_BYTES,
  CREATED_STREAM_BYTES,
  whileCreating,
} from '../put/put-room.ts'
import { typeOfPoint } from './judge-points.ts'
import { type RefusedPoints, refusalOf } from './refused-points.ts'

/** Series that the store looks for in one read: less than a millisecond. */
const SOUGHT_AT_ONCE = 64
/** Series that are handled between two iterations of the event loop. */
const SOUGHT_PER_SLICE = 128

/** Of some calls that make some of the same series, each comes through by then: with each try one has made its own. */
const TRIES_MAX = 32

/** What opening series works with. */
interface OpenDeps {
  readonly catalog: Catalog
  readonly store: SampleStore
}

/** A call whose series are opened. */
interface OpenCall {
  readonly samples: IncomingSamples
  /** The address rules that are asked, before what the door proposes. */
  readonly findRules: () => Promise<readonly AddressRule[]>
  readonly share: MemoryShare | undefined
  readonly refused: RefusedPoints
  /** The caller as of now. */
  readonly principal: Principal
}

/** A series without a stream, and where that is to be. */
interface NewSeries {
  readonly open: OpenSeries
  readonly address: NewAddress
  /** The UID of its component if that is there. */
  readonly componentUid: string | undefined
}

/** Finds or makes the stream of each series of a call; what cannot be made is refused point by point. */
export async function openSeries(deps: OpenDeps, call: OpenCall): Promise<void> {
  const { samples } = call
  for (let tries = 1; ; tries++) {
    const missing = await findSeries(deps.catalog, call)
    if (missing.length === 0) break
    try {
      const news = await addressSeries(deps.catalog, call, missing)
      for (const alike of groupsByRule(news)) await makeSeries(deps, call, alike)
      break
    } catch (error) {
      // Another call has made, moved or deleted what this one was about to use.
      if (!isPassing(error)) throw error
      if (tries === TRIES_MAX) refuseInterrupted()
    }
  }
  for (const { handle, samples: indexes } of samples.series) {
    for (const index of indexes) samples.handles[index] = handle
  }
}

function isPassing(error: unknown): boolean {
  if (error instanceof CatalogConflict) return true
  if (!(error instanceof Refusal)) return false
  return ['conflict', 'claim_taken', 'component_not_found', 'not_found'].includes(error.code)
}

/** A deletion that takes longer than all tries is no fault of the points: they can be sent again. */
function refuseInterrupted(): never {
  const what =
    'Components or streams were deleted or made while the request was running. Send it again'
  refuse('conflict', { what })
}

/** Those of the series that have no stream; labels that follow the points are brought up to date. */
async function findSeries(
  catalog: Catalog,
  { samples, principal, refused }: OpenCall,
): Promise<OpenSeries[]> {
  const missing: OpenSeries[] = []
  const sought = samples.series.filter(({ handle, samples: indexes }) => {
    return handle === 0 && indexes.some((index) => !refused.has(index))
  })
  const pacer = new Pacer(SOUGHT_PER_SLICE)
  for (let from = 0; from < sought.length; from += SOUGHT_AT_ONCE) {
    const some = sought.slice(from, from + SOUGHT_AT_ONCE)
    const allFound = await catalog.findSeries(
      principal.orgUid,
      some.map(({ series }) => series),
    )
    for (const [at, open] of some.entries()) {
      const found = allFound[at]
      if (found === undefined) {
        missing.push(open)
        continue
      }
      open.handle = found.handle
      const more = Object.entries(open.moreLabels)
      const isSame = more.every(([name, text]) => found.labels[name] === text)
      if (!isSame) await catalog.setLabels(found.handle, open.moreLabels)
    }
    await pacer.spend(some.length)
  }
  return missing
}

/** Where the series are to be; those that the caller may not make are refused. */
async function addressSeries(
  catalog: Catalog,
  { principal, findRules, refused }: OpenCall,
  missing: readonly OpenSeries[],
): Promise<NewSeries[]> {
  const { index } = catalog
  const { orgUid } = principal
  const rules = await findRules()
  const addresses = missing.map((open) => addressOfSeries(open.series, rules, open.address))
  const components = [...new Set(addresses.map(({ component }) => component))]
  const uids = new Map<string, string | undefined>()
  const pacer = new Pacer(SOUGHT_PER_SLICE)
  for (let from = 0; from < components.length; from += SOUGHT_AT_ONCE) {
    const some = components.slice(from, from + SOUGHT_AT_ONCE)
    const known = await catalog.findAddressed(orgUid, some)
    for (const [at, component] of some.entries()) {
      uids.set(component, known[at] ?? index.resolveComponent(orgUid, component)?.uid)
    }
    await pacer.spend(some.length)
  }
  const news: NewSeries[] = []
  for (const [at, open] of missing.entries()) {
    const address = addresses[at]
    const componentUid = uids.get(address.component)
    const entry = componentUid === undefined ? undefined : { uid: componentUid }
    const what =
      entry === undefined ? `component "${address.component}"` : `stream "${address.stream}"`
    const forbidden = refusalOf(() => requireCreation(principal, what, entry))
    if (forbidden === undefined) news.push({ open, address, componentUid })
    else refused.addAll(open.samples, forbidden)
  }
  // Those of components that are there first: a quota of components does not touch them.
  return news.sort(
    (a, b) => Number(a.componentUid === undefined) - Number(b.componentUid === undefined),
  )
}

/** Series that are made in the same way, together. */
function groupsByRule(news: readonly NewSeries[]): NewSeries[][] {
  const keyOf = ({ address: { template, folder, deleteProfile } }: NewSeries) =>
    `${template}\0${folder}\0${deleteProfile}`
  return [...Map.groupBy(news, keyOf).values()]
}

/**
 * Makes the streams of series that are made alike, together if all can be made, else as many as can be: halves are
 * tried until it is known which cannot.
 */
async function makeSeries(deps: OpenDeps, call: OpenCall, news: NewSeries[]): Promise<void> {
  let left = news
  let count = news.length
  while (left.length > 0) {
    const some = left.slice(0, count)
    const refusal = await tryToMake(deps, call, some)
    if (refusal === undefined) {
      left = left.slice(some.length)
      count *= 2
    } else if (some.length > 1) {
      count = Math.floor(some.length / 2)
    } else {
      // Whatever comes behind a quota that is reached is beyond it, too.
      const isFull = refusal.code === 'quota_exceeded'
      for (const { open } of isFull ? left : some) call.refused.addAll(open.samples, refusal)
      left = isFull ? [] : left.slice(1)
    }
  }
}

async function tryToMake(
  deps: OpenDeps,
  call: OpenCall,
  news: readonly NewSeries[],
): Promise<Refusal | undefined> {
  try {
    await makeStreams(deps, call, news)
    return undefined
  } catch (error) {
    if (!(error instanceof Refusal) || error.status >= 500 || isPassing(error)) throw error
    return error
  }
}

async function makeStreams(
  { catalog, store }: OpenDeps,
  { samples, share, principal }: OpenCall,
  news: readonly NewSeries[],
): Promise<void> {
  const components = Map.groupBy(
    news,
    ({ componentUid, address }) => componentUid ?? ` ${address.component}`,
  )
  const groups = [...components.values()]
  const wanted = groups.map((group) => wantedOf(group, samples))
  // Streams without the samples that they were made for would take room that a full disk lacks.
  const room = await store.keepRoom(await bytesInJournal(samples, { removals: 0, missing: [] }))
  room.release()
  const bytes = groups.length * CREATED_COMPONENT_BYTES + news.length * CREATED_STREAM_BYTES
  const created = await whileCreating(share, bytes, () =>
    catalog.autoCreate(principal.orgUid, wanted),
  )
  for (const [at, group] of groups.entries()) {
    for (const [place, { open }] of group.entries()) open.handle = created[at].handleAt(place)
  }
}

function wantedOf(group: readonly NewSeries[], { kinds }: IncomingSamples): WantedComponent {
  const [{ address, componentUid }] = group
  const { template, folder, deleteProfile, component } = address
  const rules: CreationRules = {
    ...(template === '' ? {} : { compTmplId: template }),
    ...(folder === '' ? {} : { folder }),
    ...(deleteProfile === '' ? {} : { deleteProfile }),
  }
  const streams = group.map(({ open, address: { stream } }): WantedStream => {
    const { series, moreLabels, samples } = open
    const labels = Object.keys(moreLabels).length === 0 ? series : { ...series, ...moreLabels }
    return {
      streamId: stream,
      valueType: typeOfPoint(kinds[samples[0]]),
      series: { series, labels },
    }
  })
  const addressedAs = [...new Set(group.map((one) => one.address.component))]
  const place = componentUid === undefined ? { compId: component } : { compUid: componentUid }
  return { ...place, addressedAs, rules, streams }
}
