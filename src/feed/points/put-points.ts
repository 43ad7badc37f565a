import type { Principal } from '../../access/index.ts'
import type { MemoryShare } from '../../base/index.ts'
import type { AddressRule } from '../../catalog/index.ts'
import type { SampleBatch, StreamHandle } from '../../store/index.ts'
import type { IncomingSamples } from '../put/incoming-samples.ts'
import { requireAllLiving, requireStillThere } from '../put/prepare-put.ts'
import { PutCall, type PutDeps } from '../put/put-call.ts'
import { judgePoints } from './judge-points.ts'
import { openSeries } from './open-series.ts'
import { RefusedPoints } from './refused-points.ts'
import { removalsFor, takeSpecials } from './special-points.ts'

/** Points that a door has received, each to be judged alone. */
export interface PointsCommand {
  /** Handed over, as to a put; streams are known by handle or by series, never by IDs. */
  readonly samples: IncomingSamples
  /** The address rules of the caller, asked for when a series is new. */
  readonly findRules: () => Promise<readonly AddressRule[]>
  /** One arrival for all points of a body that have no time. */
  readonly uploadTime: number
  /** Whether nothing is stored when a point is refused. */
  readonly isAllOrNone: boolean
  readonly share?: MemoryShare
}

const options = {
  creation: {},
  // Points come late and in parts: what lies between them is not known to be missing.
  isAutofill: false,
  deriveStreamsMax: 0,
  deriveTimeoutMs: 0,
}

/** Stores the points that can be stored and reports the others; resolves when those are durable. */
export async function putPoints(
  deps: PutDeps,
  principal: Principal,
  { samples, findRules, uploadTime, isAllOrNone, share }: PointsCommand,
): Promise<RefusedPoints> {
  const { catalog, store } = deps
  const following = catalog.catchUps.ensureFresh()
  if (following !== undefined) await following
  const refused = new RefusedPoints(samples)
  samples.nameOf = () => 'the point'
  if (samples.series.length > 0) {
    await openSeries({ catalog, store }, { samples, findRules, share, refused, principal })
  }
  await judgePoints(catalog.index, principal, samples, refused)
  if (refused.count > 0 && isAllOrNone) return refused
  if (samples.onChange.length > 0) await leaveOutUnchanged(deps, samples, refused)
  samples.series = []
  const specials = await takeSpecials(samples, refused)
  if (refused.isOut !== undefined) samples.remove(refused.isOut)
  const put = () => new PutCall(deps, principal, { samples, options, uploadTime, share }).run()
  if (specials === undefined) {
    if (samples.count === 0) samples.release()
    else await put()
    return refused
  }
  const storing = putSpecials(deps, specials)
  const putting = samples.count === 0 ? samples.release() : put()
  // Both are sent to the store at once, so that they share its next sync. Neither is left behind when one fails.
  const ends = await Promise.allSettled([putting, storing])
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  return refused
}

/** Stores special values in the place of the numbers at their times. */
async function putSpecials({ catalog, store }: PutDeps, specials: SampleBatch): Promise<void> {
  const { index } = catalog
  const batch = { ...specials, removals: await removalsFor(store, specials) }
  requireAllLiving(index, batch)
  await store.appendSpecials(batch)
  if (catalog.catchUps.isShared) await requireStillThere(catalog, batch)
}

/** Leaves out texts that are equal to the one before: the stream's last, or the one before in the call. */
async function leaveOutUnchanged(
  { store }: Pick<PutDeps, 'store'>,
  samples: IncomingSamples,
  refused: RefusedPoints,
): Promise<void> {
  const indexes = samples.onChange.filter((index) => !refused.has(index))
  const handles = [...new Set(indexes.map((index) => samples.handles[index] as StreamHandle))]
  if (handles.length === 0) return
  const latest = await store.latest(handles)
  const before = new Map(handles.map((handle, at) => [handle, latest[at]?.value]))
  for (const index of indexes) {
    const handle = samples.handles[index] as StreamHandle
    const text = samples.texts?.[index]
    if (before.get(handle) === text) refused.leaveOut(index)
    else before.set(handle, text)
  }
}
