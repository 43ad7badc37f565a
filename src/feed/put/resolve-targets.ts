import { nextIteration, refuse, requireCreatable } from '../../base/index.ts'
import type { CreationRules } from '../../catalog/create/index.ts'
import type { ComponentEntry, StreamIndex } from '../../catalog/index.ts'
import type { ValueType } from '../../catalog/shape/index.ts'
import type { StreamHandle } from '../../store/index.ts'
import { IdPairs } from './id-pairs.ts'
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
  readonly samples: readonly number[]
  /** The type of its first values; set before the stream is created. */
  valueType: ValueType
  /** Whether the answer of the call asks for it, and no sample waits. */
  readonly isRequested?: boolean
}

/** What looking at one stream costs, counted in samples. */
export const STREAM_WORK = 16

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

function isOfSame({ compId, compUid }: OpenTarget, other: OpenTarget): boolean {
  return compId === other.compId && compUid === other.compUid
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
  const { compTmplId, compName, folder } = target
  if (compTmplId === undefined && compName === undefined && folder === undefined) return call
  return {
    ...call,
    compTmplId: compTmplId ?? call.compTmplId,
    compName: compName ?? call.compName,
    folder: folder ?? call.folder,
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
  const missing = new MissingTargets(put.samples.namedOnce === put.samples.open.length)
  const places = new StreamPlaces()
  let looked = 0
  let last: OpenTarget | undefined
  let component: ComponentEntry | undefined
  for (const target of put.samples.open) {
    looked += 1
    if (looked % TARGETS_PER_SLICE === 0) {
      await nextIteration()
      last = undefined
    }
    // Streams of one device mostly stand together.
    if (last === undefined || !isOfSame(target, last))
      component = componentOf(index, orgUid, target)
    last = target
    if (isComponentOnly(target)) continue
    const handle = handleOf(index, component, target, places)
    if (handle !== 0) {
      for (const at of target.samples) put.samples.handles[at] = handle
      continue
    }
    missing.add(target, component, put.creation)
    requireCreatable(missing.list.length, put.createMax)
  }
  requireReachedOnce(index, put.samples)
  if (put.creation.compName !== undefined) requireOneNamed(missing.list, put.creation)
  return missing.list
}

/** Refuses a name of the whole call where it would be that of two components. */
function requireOneNamed(missing: readonly MissingTarget[], call: CreationRules): void {
  let named: string | undefined
  for (const { component, compId, creation } of missing) {
    // A target with words of its own has rules of its own.
    if (component !== undefined || creation !== call) continue
    named ??= compId
    if (compId === named) continue
    const what = `Parameter "compName" sets the name of one component, but this request creates "${named}" and "${compId}"`
    refuse('bad_input', { what: `${what}. Send them separately, or without "compName"` })
  }
}

type GatheredTarget = Omit<MissingTarget, 'samples'> & { samples: readonly number[] }

/** Gathers the streams that are missing, each once. */
class MissingTargets {
  readonly list: GatheredTarget[] = []
  readonly #named = new IdPairs()
  readonly #byName: GatheredTarget[] = []
  readonly #byPlace = new Map<string, GatheredTarget>()
  /** The samples of those that were reached more than once: lists of their own, others share the open target's. */
  readonly #joined = new Map<GatheredTarget, number[]>()
  /** Whether each stream is listed once anyway. */
  readonly #areApart: boolean

  constructor(areApart: boolean) {
    this.#areApart = areApart
  }

  add(target: OpenTarget, component: ComponentEntry | undefined, rules: CreationRules): void {
    const { streamId, position, samples } = target
    const compId = component?.compId ?? target.compId ?? ''
    const known = this.#areApart ? undefined : this.#find(compId, target)
    if (known !== undefined) {
      this.#join(known, samples)
      return
    }
    const creation = creationFor(target, rules)
    const valueType: ValueType = ''
    const added = { compId, streamId, position, creation, component, samples, valueType }
    this.list.push(added)
    if (this.#areApart) return
    if (streamId === undefined) this.#byPlace.set(placeKey(compId, position), added)
    else this.#byName.push(added)
  }

  #find(compId: string, { streamId, position }: OpenTarget): GatheredTarget | undefined {
    if (streamId === undefined) return this.#byPlace.get(placeKey(compId, position))
    return this.#byName[this.#named.take(compId, streamId)]
  }

  #join(known: GatheredTarget, more: readonly number[]): void {
    let joined = this.#joined.get(known)
    if (joined === undefined) {
      joined = [...known.samples]
      this.#joined.set(known, joined)
      known.samples = joined
    }
    for (const at of more) joined.push(at)
  }
}

function placeKey(compId: string, position: number | undefined): string {
  return `${position} ${compId}`
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
  const what = `Stream "${streamId}" is given twice: by its name and by its position in "data"`
  refuse('bad_input', { what })
}
