import { type Principal, requirePermit } from '../../access/index.ts'
import type { MemoryShare } from '../../base/index.ts'
import { type CreationRules, type StreamIndex, VALUE_CODE } from '../../catalog/index.ts'
import type { Sample, StreamHandle, TextMemory } from '../../store/index.ts'
import { feedName, requireCreation, requireStream } from '../feed-rights.ts'
import { addressPath } from '../find-streams.ts'
import type { GetDeps } from '../get/get-feed.ts'
import { requireDefinition } from './create-missing.ts'
import { bytesOfCreation, whileCreating } from './creation-memory.ts'
import { SliceBudget, STREAM_WORK } from './in-slices.ts'
import type { IncomingSamples } from './incoming-samples.ts'

/** The streams of one component whose last values a put shall answer. */
export interface RequestedValues {
  readonly compId: string
  readonly streamIds: readonly string[]
  readonly creation: CreationRules
}

/** The last values of requested streams, and which of them had to be created for the answer. */
export interface RequestedAnswer {
  readonly values: ReadonlyArray<readonly [streamId: string, value: RequestedValue]>
  readonly missing: readonly string[]
}

export type RequestedValue = number | string | boolean | null

/** Refuses, before anything is stored, when the caller may not read or create a requested stream. */
export async function requireRequested(
  index: StreamIndex,
  principal: Principal,
  requested: RequestedValues,
  samples: IncomingSamples,
): Promise<void> {
  const component = index.resolveComponent(principal.orgUid, requested.compId)
  const put = new Set(samples.open.map(({ streamId }) => streamId))
  const slices = new SliceBudget()
  const shown = feedName(requested.compId)
  for (const streamId of requested.streamIds) {
    await slices.spend(STREAM_WORK)
    const handle = component === undefined ? 0 : index.resolveStream(component, streamId)
    if (handle !== 0) {
      requireStream(index, principal, handle, { method: 'GET', shown })
      continue
    }
    if (component === undefined) requirePermit(principal, 'component/*/feed', 'GET')
    else requirePermit(principal, `component/${component.uid}/feed`, 'GET', shown)
    if (put.has(streamId)) continue
    requireCreation(principal, `stream "${streamId}"`, component)
    requireDefinition(requested.creation)
  }
}

/** Answers the last values of requested streams; those that do not exist are created first. */
export async function answerRequested(
  deps: GetDeps,
  orgUid: string,
  requested: RequestedValues,
  { memory, share }: { readonly memory?: TextMemory; readonly share?: MemoryShare } = {},
): Promise<RequestedAnswer> {
  const { catalog, store } = deps
  const { compId, streamIds, creation } = requested
  const find = (streamId: string) => catalog.index.resolve(orgUid, compId, streamId)
  const missing = streamIds.filter((streamId) => find(streamId) === 0)
  if (missing.length > 0) {
    const streams = missing.map((streamId) => ({ streamId, valueType: '' as const }))
    const component = catalog.index.resolveComponent(orgUid, compId)
    const targets = missing.map(() => ({ component, compId, creation }))
    const bytes = await bytesOfCreation(catalog, orgUid, targets)
    const wanted = [{ compId, rules: creation, streams }]
    await whileCreating(share, bytes, () => catalog.autoCreate(orgUid, wanted))
  }
  const known = streamIds.map((streamId) => [streamId, find(streamId)] as const)
  const handles = known.map(([, handle]) => handle).filter((handle) => handle !== 0)
  const samples =
    handles.length === 0 ? [] : await store.latest(handles as StreamHandle[], { memory })
  const byHandle = new Map(handles.map((handle, at) => [handle, samples[at]]))
  const values = known.map(([streamId, handle]) => {
    const sample = byHandle.get(handle as StreamHandle)
    return [streamId, showRequested(deps, { handle, sample })] as const
  })
  return { values, missing }
}

function showRequested(
  deps: GetDeps,
  about: {
    readonly handle: StreamHandle | 0
    readonly sample: Sample | undefined
  },
): RequestedValue {
  const { handle, sample } = about
  if (sample === undefined || handle === 0) return null
  const valueCode = deps.catalog.index.valueCodeOf(handle)
  if (valueCode === VALUE_CODE.BOOLEAN) return sample.value !== 0
  if (valueCode === VALUE_CODE.FILE && typeof sample.value === 'string') {
    return deps.showFile(sample.value, {
      ...addressPath(deps.catalog.index, handle),
      time: sample.time,
    })
  }
  return sample.value
}
