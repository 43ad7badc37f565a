/** The quick way of a put whose missing streams are all of components that nobody has, with nothing said of them. */
import {
  type Catalog,
  type CreationRules,
  fitsFleet,
  RANDOM,
  type StreamKind,
  VALUE_CODE,
  VALUE_TYPES,
  type WantedFleet,
} from '../../catalog/index.ts'
import type { StreamHandle } from '../../store/index.ts'
import { inferValueType } from '../value/value-rules.ts'
import { SliceBudget, STREAM_WORK } from './in-slices.ts'
import type { IncomingSamples } from './incoming-samples.ts'
import { type Placing, prepareStream, requireAllLiving } from './prepare-put.ts'
import type { MissingTarget } from './resolve-targets.ts'

/** A fleet with the targets of its streams, in their order. */
interface TargetedFleet {
  readonly wanted: WantedFleet
  readonly targets: readonly MissingTarget[]
}

type Families = Pick<WantedFleet, 'compIds' | 'streamCounts'> & Pick<TargetedFleet, 'targets'>

/** A put that creates. */
interface FleetPut {
  readonly samples: IncomingSamples
  readonly missing: readonly MissingTarget[]
  readonly placing: Placing
  /** That of the index when the streams of the put were last looked at. */
  readonly generation: number
}

/**
 * Makes the missing streams and fills in their handles; values are settled as their streams ask for. False, with
 * nothing made, where it takes more than this: what is wanted is not plain, or some of it was made meanwhile.
 */
export async function createFleetStreams(
  catalog: Catalog,
  orgUid: string,
  put: FleetPut,
): Promise<boolean> {
  const fleet = await fleetOf(put)
  if (fleet === undefined) return false
  const { samples, generation } = put
  // A look changes values to what the types ask for; who looks again begins from here.
  const kept = samples.isNumeric && samples.isTimed ? undefined : samples.keep()
  if (kept !== undefined) await settle(fleet, put)
  if (catalog.index.generation !== generation) {
    const { count, handles } = samples
    requireAllLiving(catalog.index, { count, handles, removals: [] })
  }
  const first = await catalog.createFleet(orgUid, fleet.wanted)
  if (first !== undefined) fillHandles(samples, fleet.targets, first)
  else if (kept !== undefined) samples.restore(kept)
  return first !== undefined
}

/** The missing streams component by component; undefined when they make no fleet. */
async function fleetOf({ samples, missing }: FleetPut): Promise<TargetedFleet | undefined> {
  const families = familiesOf(missing)
  if (families === undefined) return undefined
  const { compIds, streamCounts, targets } = families
  for (let at = 0; at < compIds.length; at++) {
    if (!fitsFleet(compIds[at], streamCounts[at])) return undefined
  }
  const streamIds: string[] = []
  const valueCodes: number[] = []
  const slices = new SliceBudget()
  for (const target of targets) {
    streamIds.push(target.streamId ?? '')
    // Without a value it has no type yet.
    const isNumeric = samples.isNumeric && target.samples.length > 0
    valueCodes.push(isNumeric ? VALUE_CODE.DOUBLE : await valueCodeOf(samples, target))
    const turn = slices.spend(target.samples.length + STREAM_WORK)
    if (turn !== undefined) await turn
  }
  return { wanted: { compIds, streamCounts, streamIds, valueCodes }, targets }
}

/** The components of what is missing, and that in their order; undefined when something is not plain. */
function familiesOf(missing: readonly MissingTarget[]): Families | undefined {
  const runs = runsOf(missing)
  if (runs === undefined || runs.isApart) return runs
  const numbers = new Map<string, number>()
  const compIds: string[] = []
  const streamCounts: number[] = []
  const familyOf: number[] = []
  let isInOrder = true
  for (const target of missing) {
    const { compId } = target
    const last = compIds.length - 1
    const family = compId === compIds[last] ? last : (numbers.get(compId) ?? last + 1)
    familyOf.push(family)
    if (family > last) {
      numbers.set(compId, family)
      compIds.push(compId)
      streamCounts.push(1)
    } else {
      streamCounts[family] += 1
      if (family < last) isInOrder = false
    }
  }
  if (isInOrder) return { compIds, streamCounts, targets: missing }
  const order = [...familyOf.keys()].sort((a, b) => familyOf[a] - familyOf[b])
  return { compIds, streamCounts, targets: order.map((at) => missing[at]) }
}

/**
 * Streams that stand together, as one component each; undefined when something is not plain. `isApart` tells that no
 * component stands twice: the streams with which they begin have one name, which no component has twice.
 */
function runsOf(missing: readonly MissingTarget[]): (Families & { isApart: boolean }) | undefined {
  const compIds: string[] = []
  const streamCounts: number[] = []
  let isApart = true
  for (const target of missing) {
    if (!isPlain(target)) return undefined
    const { compId, streamId } = target
    const last = compIds.length - 1
    if (compId === compIds[last]) {
      streamCounts[last] += 1
      continue
    }
    if (streamId !== missing[0].streamId) isApart = false
    compIds.push(compId)
    streamCounts.push(1)
  }
  return { compIds, streamCounts, targets: missing, isApart }
}

function isPlain(target: MissingTarget): boolean {
  const { component, streamId, position, creation, isRequested } = target
  if (component !== undefined || streamId === undefined || position !== undefined) return false
  if (isRequested === true) return false
  return isPlainRules(creation)
}

function isPlainRules({ compTmplId, compName, folder, dtId, dsId }: CreationRules): boolean {
  if (compTmplId !== undefined || compName !== undefined || folder !== undefined) return false
  return dtId === undefined && dsId === undefined
}

async function valueCodeOf(samples: IncomingSamples, target: MissingTarget): Promise<number> {
  return VALUE_TYPES.indexOf(await inferValueType(samples, target.samples))
}

/** Makes values and times what streams that are about to be take. */
async function settle({ wanted, targets }: TargetedFleet, put: FleetPut): Promise<void> {
  const slices = new SliceBudget()
  for (const [at, { samples: indexes }] of targets.entries()) {
    const valueType = VALUE_TYPES[wanted.valueCodes[at]]
    const facts = { kind: RANDOM as StreamKind, valueType, isDerived: false, baseCycle: undefined }
    await prepareStream(put.samples, { handle: 0, facts, indexes }, put.placing)
    await slices.spend(indexes.length + STREAM_WORK)
  }
}

function fillHandles(
  samples: IncomingSamples,
  targets: readonly MissingTarget[],
  first: StreamHandle,
): void {
  const { handles } = samples
  for (let at = 0; at < targets.length; at++) {
    const { samples: indexes } = targets[at]
    for (let place = 0; place < indexes.length; place++) handles[indexes[place]] = first + at
  }
}
