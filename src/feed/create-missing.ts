import { refuse } from '../base/index.ts'
import {
  type Catalog,
  type CreatedComponent,
  type CreationRules,
  type PreparedComponent,
  RANDOM,
  type WantedComponent,
  type WantedStream,
} from '../catalog/index.ts'
import type { Removal, StreamHandle } from '../store/index.ts'
import { STREAM_WORK, TurnTaker } from './in-turns.ts'
import type { IncomingSamples } from './incoming-samples.ts'
import { type Placing, prepareStream } from './prepare-put.ts'
import type { MissingTarget } from './resolve-targets.ts'
import { factsOfPrepared } from './stream-facts.ts'
import { inferValueType } from './value-rules.ts'

/** The missing streams of one component, side by side with what the catalog is asked for. */
interface MissingComponent {
  readonly wanted: WantedComponent
  readonly targets: readonly MissingTarget[]
}

/** A put whose missing streams are to be created. */
export interface Creation {
  readonly samples: IncomingSamples
  readonly missing: readonly MissingTarget[]
  readonly placing: Placing
}

/** Refuses half of a definition for the streams that are to be created. */
export function requireDefinition({ dtId, dsId }: CreationRules): void {
  if ((dtId === undefined) === (dsId === undefined)) return
  const [given, missing] = dtId === undefined ? ['dsId', 'dtId'] : ['dtId', 'dsId']
  refuse('bad_input', { what: `Parameter "${given}" needs "${missing}" beside it` })
}

async function byComponent({ samples, missing }: Creation): Promise<MissingComponent[]> {
  const groups = Map.groupBy(missing, ({ compId, component }) => component?.uid ?? ` ${compId}`)
  const components: MissingComponent[] = []
  const turns = new TurnTaker()
  for (const targets of groups.values()) {
    const [{ compId, component, creation }] = targets
    const streams: WantedStream[] = []
    for (const { streamId, position, samples: indexes } of targets) {
      streams.push({ streamId, position, valueType: await inferValueType(samples, indexes) })
      await turns.after(indexes.length + STREAM_WORK)
    }
    const place = component === undefined ? { compId } : { compUid: component.uid }
    components.push({ targets, wanted: { ...place, rules: creation, streams } })
  }
  return components
}

/**
 * Creates the missing streams of a put in one step, after every sample for them was found good, and
 * fills in their handles. Answers what must be removed first: a stream that another call has made
 * meanwhile may hold samples.
 */
export async function createMissing(
  catalog: Catalog,
  orgUid: string,
  creation: Creation,
): Promise<Removal[]> {
  const { samples, placing, missing } = creation
  for (const target of missing) requireDefinition(target.creation)
  const components = await byComponent(creation)
  const timeless = timelessSamples(creation)
  let removals: Removal[] = []
  const check = async (prepared: readonly PreparedComponent[]) => {
    removals = []
    const turns = new TurnTaker()
    for (const [at, component] of prepared.entries()) {
      const work = { creation, targets: components[at].targets, component, turns }
      for (const removal of await prepareComponent(work)) removals.push(removal)
    }
  }
  const wanted = components.map((component) => component.wanted)
  const created = await catalog.autoCreate(orgUid, wanted, check)
  fillHandles(samples, components, created)
  for (const index of timeless) {
    const handle = samples.handles[index]
    const time = placing.assignedTimes.next(handle, placing.uploadTime)
    if (catalog.index.kindOf(handle) === RANDOM) samples.times[index] = time
  }
  return removals
}

/** Two targets may turn out to be one stream: one by its name, one by its place in a template. */
async function prepareComponent(work: {
  readonly creation: Creation
  readonly targets: readonly MissingTarget[]
  readonly component: PreparedComponent
  readonly turns: TurnTaker
}): Promise<Removal[]> {
  const { samples, placing } = work.creation
  const { streams } = work.component
  const groups = Map.groupBy(streams.keys(), (at) => streams[at].streamId || at)
  const all: Removal[] = []
  for (const places of groups.values()) {
    const stream = streams[places[0]]
    const { handle } = stream
    const indexes = indexesOf(places.map((at) => work.targets[at]))
    const facts = factsOfPrepared(stream)
    const { removals } = await prepareStream(samples, { handle, facts, indexes }, placing)
    for (const removal of removals) all.push(removal)
    await work.turns.after(indexes.length + STREAM_WORK)
  }
  return all
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
  for (const [at, { targets }] of components.entries()) {
    for (const [place, target] of targets.entries()) {
      const handle: StreamHandle = created[at].handles[place]
      for (const index of target.samples) samples.handles[index] = handle
    }
  }
}
