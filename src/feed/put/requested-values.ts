import { VALUE_CODE } from '../../catalog/shape/index.ts'
import type { Sample, StreamHandle, TextMemory } from '../../store/index.ts'
import { addressPath } from '../find-streams.ts'
import type { GetDeps } from '../get/get-feed.ts'
import type { RequestedValues } from './requested-streams.ts'

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
