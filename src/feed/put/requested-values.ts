import { type Principal, requirePermit } from '../../access/index.ts'
import { Pacer } from '../../base/index.ts'
import type { CreationRules } from '../../catalog/create/index.ts'
import type { StreamIndex } from '../../catalog/index.ts'
import { VALUE_CODE } from '../../catalog/shape/index.ts'
import type { Sample, StreamHandle, TextMemory } from '../../store/index.ts'
import { feedName, requireCreation, requireStream } from '../feed-rights.ts'
import { addressPath } from '../find-streams.ts'
import type { GetDeps } from '../get/get-feed.ts'
import { requireDefinition } from './create-missing.ts'
import type { IncomingSamples } from './incoming-samples.ts'
import { type MissingTarget, STREAM_WORK } from './resolve-targets.ts'

/** The streams of one component whose last values a put shall answer. */
export interface RequestedValues {
  readonly compId: string
  readonly streamIds: readonly string[]
  readonly creation: CreationRules
}

/** Refuses, before anything is stored, when the caller may not read or create a requested stream. */
export async function requireRequested(
  index: StreamIndex,
  principal: Principal,
  requested: RequestedValues,
  samples: IncomingSamples,
): Promise<void> {
  const component = index.resolveComponent(principal.orgUid, requested.compId)
  const put = namesOf(samples)
  const slices = new Pacer()
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

/** Those that are missing and that no sample of the put names: made with it, or nothing of it is stored. */
export async function findMissingRequested(
  index: StreamIndex,
  orgUid: string,
  { compId, streamIds, creation }: RequestedValues,
  samples: IncomingSamples,
): Promise<MissingTarget[]> {
  const component = index.resolveComponent(orgUid, compId)
  const put = namesOf(samples)
  const slices = new Pacer()
  const missing: MissingTarget[] = []
  for (const streamId of streamIds) {
    await slices.spend(STREAM_WORK)
    if (put.has(streamId) || index.resolve(orgUid, compId, streamId) !== 0) continue
    const requestedOnly = { samples: [], valueType: '', isRequested: true } as const
    missing.push({ component, compId, streamId, creation, ...requestedOnly })
  }
  return missing
}

function namesOf(samples: IncomingSamples): ReadonlySet<string | undefined> {
  return new Set(samples.open.map(({ streamId }) => streamId))
}

/** The last values of requested streams, and which of them had to be created for the answer. */
export interface RequestedAnswer {
  readonly values: ReadonlyArray<readonly [streamId: string, value: RequestedValue]>
  readonly missing: readonly string[]
}

export type RequestedValue = number | string | boolean | null

/** Answers the last values of requested streams; `made` are those that the put has made for this alone. */
export async function answerRequested(
  deps: GetDeps,
  orgUid: string,
  { compId, streamIds, made }: RequestedValues & { readonly made: readonly string[] },
  memory?: TextMemory,
): Promise<RequestedAnswer> {
  const { catalog, store } = deps
  const find = (streamId: string) => catalog.index.resolve(orgUid, compId, streamId)
  const known = streamIds.map((streamId) => [streamId, find(streamId)] as const)
  const handles = known.map(([, handle]) => handle).filter((handle) => handle !== 0)
  const samples =
    handles.length === 0 ? [] : await store.latest(handles as StreamHandle[], { memory })
  const byHandle = new Map(handles.map((handle, at) => [handle, samples[at]]))
  const values = known.map(([streamId, handle]) => {
    const sample = byHandle.get(handle as StreamHandle)
    return [streamId, showRequested(deps, { handle, sample })] as const
  })
  const isMade = new Set(made)
  return { values, missing: streamIds.filter((streamId) => isMade.has(streamId)) }
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
