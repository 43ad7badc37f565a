import { nextTurn, refuse } from '../../base/index.ts'
import {
  type ComponentEntry,
  type CreationRules,
  requireCreatable,
  type StreamIndex,
} from '../../catalog/index.ts'
import type { StreamHandle } from '../../store/index.ts'
import type { IncomingSamples, OpenTarget } from './incoming-samples.ts'

/** A stream to be created and the samples that wait for it. */
export interface MissingTarget {
  /** The component it belongs to, when that exists. */
  readonly component: ComponentEntry | undefined
  readonly compId: string
  readonly streamId?: string
  /** Place in the definition order, where the stream has no name. */
  readonly position?: number
  readonly creation: CreationRules
  readonly samples: number[]
}

/** Targets resolved before other calls get a turn. */
const TARGETS_PER_SLICE = 4_096

function componentOf(
  index: StreamIndex,
  orgUid: string,
  target: OpenTarget,
): ComponentEntry | undefined {
  const { compId, compUid } = target
  if (compUid === undefined) return index.resolveComponent(orgUid, compId ?? '')
  const component = index.componentByUid(orgUid, compUid)
  if (component === undefined) refuse('component_not_found', { compId: compUid })
  return component
}

/**
 * The streams of a call's components by their places, as they were when the call first asked: listed
 * once, however many places it names.
 */
class StreamPlaces {
  readonly #byComponent = new Map<number, readonly StreamHandle[]>()

  at(component: ComponentEntry, position: number): StreamHandle | 0 {
    let streams = this.#byComponent.get(component.ref)
    if (streams === undefined) {
      streams = component.streams
      this.#byComponent.set(component.ref, streams)
    }
    return streams[position] ?? 0
  }
}

function handleOf(
  index: StreamIndex,
  component: ComponentEntry | undefined,
  target: OpenTarget,
  places: StreamPlaces,
): StreamHandle | 0 {
  const { streamId, streamUid, position } = target
  if (streamUid !== undefined) {
    const handle = component === undefined ? 0 : index.streamByUid(component.orgUid, streamUid)
    if (handle !== 0 && index.componentRefOf(handle) === component?.ref) return handle
    refuse('stream_not_found', { streamId: streamUid, compId: component?.compId ?? '' })
  }
  if (component === undefined) return 0
  if (streamId !== undefined) return index.resolveStream(component, streamId)
  return places.at(component, position ?? 0)
}

function isComponentOnly({ streamId, streamUid, position }: OpenTarget): boolean {
  return streamId === undefined && streamUid === undefined && position === undefined
}

/** How the target's component and stream would be created: its own words beat the call's. */
function creationFor(target: OpenTarget, call: CreationRules): CreationRules {
  if (target.compTmplId === undefined && target.compName === undefined) return call
  return {
    ...call,
    compTmplId: target.compTmplId ?? call.compTmplId,
    compName: target.compName ?? call.compName,
  }
}

/**
 * Fills in the handles of open targets whose streams exist, and answers the others, each stream
 * once. Refuses a UID that is not known: only IDs can be created.
 */
export async function resolveTargets(
  index: StreamIndex,
  orgUid: string,
  put: {
    readonly samples: IncomingSamples
    readonly creation: CreationRules
    /** Streams that the call may create; refused as soon as one more is missing. */
    readonly createMax: number
  },
): Promise<MissingTarget[]> {
  if (put.samples.open.length === 0) return []
  const missing = new Map<string, MissingTarget>()
  const places = new StreamPlaces()
  let looked = 0
  for (const target of put.samples.open) {
    looked += 1
    if (looked % TARGETS_PER_SLICE === 0) await nextTurn()
    const component = componentOf(index, orgUid, target)
    if (isComponentOnly(target)) continue
    const handle = handleOf(index, component, target, places)
    if (handle !== 0) {
      for (const at of target.samples) put.samples.handles[at] = handle
      continue
    }
    const { streamId, position } = target
    const compId = component?.compId ?? target.compId ?? ''
    const key = JSON.stringify([compId, streamId ?? position])
    const known = missing.get(key)
    if (known !== undefined) {
      for (const at of target.samples) known.samples.push(at)
      continue
    }
    requireCreatable(missing.size + 1, put.createMax)
    const creation = creationFor(target, put.creation)
    const samples = [...target.samples]
    missing.set(key, { compId, streamId, position, creation, component, samples })
  }
  requireReachedOnce(index, put.samples)
  return [...missing.values()]
}

/** Refuses a stream that a call names and reaches by its place as well: one value would be lost. */
function requireReachedOnce(index: StreamIndex, { open, handles }: IncomingSamples): void {
  if (!open.some(({ position }) => position !== undefined)) return
  const reached = new Set<number>()
  for (const { samples } of open) {
    const handle = handles[samples[0]]
    if (handle !== 0 && reached.has(handle)) refuseReachedTwice(index.streamIdOf(handle))
    reached.add(handle)
  }
}

/** Says that a stream is named in a call and reached by its place as well. */
export function refuseReachedTwice(streamId: string): never {
  const what = `Stream "${streamId}" is reached twice: by its name and by "data", in its place`
  refuse('bad_input', { what })
}
