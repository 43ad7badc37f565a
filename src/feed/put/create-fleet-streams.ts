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
  const families = new Map<string, MissingTarget[]>()
  for (const target of missing) {
    if (!isPlain(target)) return undefined
    const family = families.get(target.compId)
    if (family === undefined) families.set(target.compId, [target])
    else family.push(target)
  }
  const compIds: string[] = []
  const streamCounts: number[] = []
  const streamIds: string[] = []
  const valueCodes: number[] = []
  const targets: MissingTarget[] = []
  const slices = new SliceBudget()
  for (const [compId, family] of families) {
    if (!fitsFleet(compId, family.length)) return undefined
    compIds.push(compId)
    streamCounts.push(family.length)
    for (const target of family) {
      streamIds.push(target.streamId ?? '')
      valueCodes.push(samples.isNumeric ? VALUE_CODE.DOUBLE : await valueCodeOf(samples, target))
      targets.push(target)
      const turn = slices.spend(target.samples.length + STREAM_WORK)
      if (turn !== undefined) await turn
    }
  }
  return { wanted: { compIds, streamCounts, streamIds, valueCodes }, targets }
}

function isPlain({ component, streamId, position, creation }: MissingTarget): boolean {
  if (component !== undefined || streamId === undefined || position !== undefined) return false
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
  for (const [at, target] of targets.entries()) {
    for (const index of target.samples) samples.handles[index] = first + at
  }
}
