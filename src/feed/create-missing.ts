import { nextTurn, refuse } from '../base/index.ts'
import {
  type Catalog,
  type CreatedComponent,
  type CreationRules,
  type PreparedComponent,
  RANDOM,
  type WantedComponent,
} from '../catalog/index.ts'
import type { Removal, StreamHandle } from '../store/index.ts'
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

/** Components prepared before other calls get a turn. */
const COMPONENTS_PER_TURN = 1_000

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

function byComponent({ samples, missing }: Creation): MissingComponent[] {
  const groups = Map.groupBy(missing, ({ compId, component }) => component?.uid ?? ` ${compId}`)
  return [...groups.values()].map((targets) => {
    const [{ compId, component, creation }] = targets
    const streams = targets.map(({ streamId, position, samples: indexes }) => ({
      streamId,
      position,
      valueType: inferValueType(samples, indexes),
    }))
    const place = component === undefined ? { compId } : { compUid: component.uid }
    return { targets, wanted: { ...place, rules: creation, streams } }
  })
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
  const components = byComponent(creation)
  const timeless = timelessSamples(creation)
  let removals: Removal[] = []
  const check = async (prepared: readonly PreparedComponent[]) => {
    removals = []
    for (const [at, component] of prepared.entries()) {
      removals.push(...(await prepareComponent(creation, components[at].targets, component)))
      if (at % COMPONENTS_PER_TURN === COMPONENTS_PER_TURN - 1) await nextTurn()
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
async function prepareComponent(
  { samples, placing }: Creation,
  targets: readonly MissingTarget[],
  { streams }: PreparedComponent,
): Promise<Removal[]> {
  const groups = Map.groupBy(streams.keys(), (at) => streams[at].streamId || at)
  const all: Removal[] = []
  for (const places of groups.values()) {
    const stream = streams[places[0]]
    const indexes = places.flatMap((at) => targets[at].samples).sort((a, b) => a - b)
    const facts = factsOfPrepared(stream)
    const { removals } = await prepareStream(
      samples,
      { handle: stream.handle, facts, indexes },
      placing,
    )
    all.push(...removals)
  }
  return all
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
