import { Pacer, Refusal, refuse } from '../../base/index.ts'
import type {
  CreatedComponent,
  CreationRules,
  PreparedComponent,
  PreparedStream,
  WantedComponent,
} from '../../catalog/create/index.ts'
import type { Catalog, InferredType, StreamIndex } from '../../catalog/index.ts'
import { RANDOM, VALUE_CODE } from '../../catalog/shape/index.ts'
import type { Removal, StreamHandle } from '../../store/index.ts'
import { factsOf, factsOfPrepared } from '../stream-facts.ts'
import { inferValueType } from '../value/value-rules.ts'
import type { IncomingSamples, KeptValues } from './incoming-samples.ts'
import {
  type Placing,
  type PreparedSamples,
  prepareStream,
  requireAllLiving,
  requireLiving,
  type StreamSamples,
} from './prepare-put.ts'
import { type MissingTarget, refuseReachedTwice, STREAM_WORK } from './resolve-targets.ts'

/** The missing streams of one component, as the catalog is asked for them. */
interface MissingComponent extends WantedComponent {
  readonly streams: MissingTarget[]
}

/** A put whose missing streams are to be created. */
export interface Creation {
  readonly samples: IncomingSamples
  readonly missing: readonly MissingTarget[]
  /** Existing streams that get their type from this put. */
  readonly untyped: readonly StreamSamples[]
  readonly placing: Placing
  /** That of the index when the streams of the put were last looked at. */
  readonly generation: number
}

/** What has come of a creation. */
interface Created {
  /** What must be removed before the samples are appended. */
  readonly removals: readonly Removal[]
  /** Streams that were created for the answer alone. */
  readonly madeForAnswer: readonly string[]
}

/** What a look at the streams of a put has shown. */
interface Findings {
  readonly removals: Removal[]
  readonly inferred: InferredType[]
  readonly slices: Pacer
}

/** Refuses half of a definition for the streams that are to be created. */
export function requireDefinition({ dtId, dsId }: CreationRules): void {
  if ((dtId === undefined) === (dsId === undefined)) return
  const [given, missing] = dtId === undefined ? ['dsId', 'dtId'] : ['dtId', 'dsId']
  refuse('bad_input', { what: `Parameter "${given}" also needs "${missing}"` })
}

/** The missing streams component by component, with the types of their first values. */
async function byComponent({ samples, missing }: Creation): Promise<MissingComponent[]> {
  const components = new MissingComponents()
  const slices = new Pacer()
  for (const target of missing) {
    const { samples: indexes } = target
    // Without a value it has no type yet.
    const isNumeric = samples.isNumeric && indexes.length > 0
    target.valueType = isNumeric ? 'DOUBLE' : await inferValueType(samples, indexes)
    components.add(target)
    const pause = slices.spend(indexes.length + STREAM_WORK)
    if (pause !== undefined) await pause
  }
  return components.list
}

/** Gathers streams by component; those of one mostly come together. */
class MissingComponents {
  readonly list: MissingComponent[] = []
  /** By the ID of a component to be created, or the number of one that exists. */
  readonly #known = new Map<string | number, MissingComponent>()
  #last: MissingComponent | undefined

  add(target: MissingTarget): void {
    const { component, compId, creation: rules } = target
    if (this.#last === undefined || !isOfSame(this.#last.streams[0], target)) {
      const key = component?.ref ?? compId
      this.#last = this.#known.get(key)
      if (this.#last === undefined) {
        const streams = [target]
        this.#last = component
          ? { compUid: component.uid, rules, streams }
          : { compId, rules, streams }
        this.list.push(this.#last)
        this.#known.set(key, this.#last)
        return
      }
    }
    this.#last.streams.push(target)
  }
}

function isOfSame(a: MissingTarget, b: MissingTarget): boolean {
  if (a.component !== undefined || b.component !== undefined) {
    return a.component?.ref === b.component?.ref
  }
  return a.compId === b.compId
}

/**
 * Creates the missing streams of a put and gives types to those that have none, in one step and after
 * every sample for them was found good, and fills in their handles. A stream that another call has made meanwhile may
 * hold samples, which must be removed first.
 */
export async function createMissing(
  catalog: Catalog,
  orgUid: string,
  creation: Creation,
): Promise<Created> {
  const { samples, missing } = creation
  for (const target of missing) requireDefinition(target.creation)
  const timeless = timelessSamples(creation)
  const components = await byComponent(creation)
  const look = lookAt(catalog, creation, components)
  const isAsked = missing.some(({ isRequested }) => isRequested === true)
  let made: Created = { removals: [], madeForAnswer: [] }
  const check = async (prepared: readonly PreparedComponent[]) => {
    const findings = await look(prepared)
    const madeForAnswer = isAsked ? idsMadeForAnswer(prepared) : []
    made = { removals: findings.removals, madeForAnswer }
    return findings.inferred
  }
  const creating = catalog.autoCreate(orgUid, components, check)
  const created = await creating.catch(refuseDeleted)
  fillHandles(samples, components, created)
  giveTimes(catalog, creation, timeless)
  return made
}

function idsMadeForAnswer(prepared: readonly PreparedComponent[]): string[] {
  const streams = prepared.flatMap((component) => component.streams)
  return streams.filter((one) => one.isMadeForAnswer).map(({ streamId }) => streamId)
}

/** All components that are not to be made were there when the call began: one that is not found is gone since. */
function refuseDeleted(error: unknown): never {
  if (!(error instanceof Refusal) || error.code !== 'component_not_found') throw error
  refuse('conflict', {
    what: 'A component was deleted while the request was running. Send it again',
  })
}

/** A stream that a put would create. */
export interface WouldCreate {
  readonly compId: string
  readonly streamId: string
  readonly isNewComponent: boolean
}

/** Ends a creation that was only tried, before anything is made. */
class TriedOut extends Error {
  readonly prepared: readonly PreparedComponent[]

  constructor(prepared: readonly PreparedComponent[]) {
    super('tried out')
    this.prepared = prepared
  }
}

/** As createMissing, up to where something would be made: refuses what that refuses, and makes nothing. */
export async function tryMissing(
  catalog: Catalog,
  orgUid: string,
  creation: Creation,
): Promise<readonly WouldCreate[]> {
  for (const target of creation.missing) requireDefinition(target.creation)
  const components = await byComponent(creation)
  const look = lookAt(catalog, creation, components)
  const check = async (prepared: readonly PreparedComponent[]) => {
    await look(prepared)
    throw new TriedOut(prepared)
  }
  try {
    await catalog.autoCreate(orgUid, components, check)
  } catch (error) {
    if (error instanceof TriedOut) return wouldCreate(components, error.prepared)
    throw error
  }
  return []
}

function wouldCreate(
  components: readonly MissingComponent[],
  prepared: readonly PreparedComponent[],
): WouldCreate[] {
  return prepared.flatMap(({ component, streams }, at) => {
    const compId = component?.compId ?? components[at].compId ?? ''
    return streams
      .filter(({ handle }) => handle === 0)
      .map(({ streamId }) => ({ compId, streamId, isNewComponent: component === undefined }))
  })
}

/** Looks at all samples beside the streams that are about to be; each look begins from what came. */
function lookAt(
  catalog: Catalog,
  creation: Creation,
  components: readonly MissingComponent[],
): (prepared: readonly PreparedComponent[]) => Promise<Findings> {
  const { samples } = creation
  const resolved = resolvedHandles(creation)
  const hasPositions = creation.missing.some(({ position }) => position !== undefined)
  // A look changes values to what the types ask for; another one, after a race, begins from here.
  let kept: KeptValues | undefined
  return async (prepared) => {
    if (kept !== undefined) samples.restore(kept)
    const mayFit = samples.isNumeric && samples.isTimed && !hasPositions
    const isFitting = mayFit && creation.untyped.length === 0 && prepared.every(takesNumbers)
    if (!isFitting) kept ??= samples.keep()
    if (catalog.index.generation !== creation.generation) {
      const { count, handles } = samples
      requireAllLiving(catalog.index, { count, handles, removals: [] })
    }
    const findings: Findings = { removals: [], inferred: [], slices: new Pacer() }
    if (isFitting) return findings
    await prepareUntyped(catalog.index, creation, findings)
    for (const [at, component] of prepared.entries()) {
      const { streams: targets } = components[at]
      await prepareTargets({ creation, targets, component, resolved }, findings)
    }
    return findings
  }
}

/** Whether streams take numbers as they came: most do. */
function takesNumbers({ alike }: PreparedComponent): boolean {
  if (alike === undefined || alike.isDerived) return false
  return alike.kind === RANDOM && alike.valueCode === VALUE_CODE.DOUBLE
}

/** Gives times to samples that waited for them, now that their streams have handles. */
function giveTimes(
  { index: streams }: Catalog,
  { samples, placing }: Creation,
  timeless: readonly number[],
): void {
  for (const index of timeless) {
    const handle = samples.handles[index]
    const time = placing.assignedTimes.next(handle, placing.uploadTime)
    if (streams.kindOf(handle) === RANDOM) samples.times[index] = time
  }
}

/** Looks at the samples of existing streams whose type, at the beginning of the put, was open. */
async function prepareUntyped(
  index: StreamIndex,
  { samples, untyped, placing }: Creation,
  findings: Findings,
): Promise<void> {
  for (const { handle, indexes } of untyped) {
    requireLiving(index, handle as StreamHandle)
    const stream = { handle, indexes, facts: factsOf(index, handle as StreamHandle) }
    note(stream, await prepareStream(samples, stream, placing), findings)
    await findings.slices.spend(indexes.length)
  }
}

function note(stream: StreamSamples, prepared: PreparedSamples, findings: Findings): void {
  for (const removal of prepared.removals) findings.removals.push(removal)
  const { handle, facts } = stream
  const { valueType } = prepared
  if (handle !== 0 && facts.valueType === '' && valueType !== '') {
    findings.inferred.push({ handle, valueType })
  }
}

/** Looks at the samples of one component's streams as they are about to be. */
async function prepareTargets(
  work: {
    readonly creation: Creation
    readonly targets: readonly MissingTarget[]
    readonly component: PreparedComponent
    readonly resolved: ReadonlySet<number>
  },
  findings: Findings,
): Promise<void> {
  const { samples, placing } = work.creation
  const { streams } = work.component
  // What the answer alone asks for may be what a place leads to.
  const taking = work.targets.flatMap((target, at) => (target.isRequested === true ? [] : [at]))
  const groups = Map.groupBy(taking, (at) => streams[at].streamId || at)
  for (const places of groups.values()) {
    const stream = streams[places[0]]
    const { handle } = stream
    const targets = places.map((at) => work.targets[at])
    requireOneWay(stream, targets, work.resolved)
    const indexes = indexesOf(targets)
    const prepared = { handle, indexes, facts: factsOfPrepared(stream) }
    note(prepared, await prepareStream(samples, prepared, placing), findings)
    await findings.slices.spend(indexes.length + STREAM_WORK)
  }
}

/** Handles that the call reached before anything was planned; only known where places count. */
function resolvedHandles({ samples, missing }: Creation): ReadonlySet<number> {
  if (!missing.some(({ position }) => position !== undefined)) return new Set()
  return new Set(samples.open.map((target) => samples.handles[target.samples[0]]))
}

/** A place may lead to a stream that the call names: in a template, or made by another call. */
function requireOneWay(
  { handle, streamId }: PreparedStream,
  targets: readonly MissingTarget[],
  resolved: ReadonlySet<number>,
): void {
  if (!targets.some(({ position }) => position !== undefined)) return
  if (targets.length > 1 || (handle !== 0 && resolved.has(handle))) refuseReachedTwice(streamId)
}

/** The samples of targets that are one stream, in the order they came. */
function indexesOf(targets: readonly MissingTarget[]): readonly number[] {
  if (targets.length === 1) return targets[0].samples
  return targets.flatMap((target) => target.samples).sort((a, b) => a - b)
}

/** Samples that wait for a time, in their order; it is assigned once their stream has a handle. */
function timelessSamples({ samples, missing }: Creation): number[] {
  if (samples.isTimed) return []
  const all = missing.flatMap((target) => target.samples)
  return all.filter((index) => Number.isNaN(samples.times[index])).sort((a, b) => a - b)
}

function fillHandles(
  samples: IncomingSamples,
  components: readonly MissingComponent[],
  created: readonly CreatedComponent[],
): void {
  for (const [at, { streams: targets }] of components.entries()) {
    for (let place = 0; place < targets.length; place++) {
      const handle = created[at].handleAt(place)
      for (const index of targets[place].samples) samples.handles[index] = handle
    }
  }
}
