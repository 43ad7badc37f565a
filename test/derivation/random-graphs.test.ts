/** Random graphs of derived streams give the same samples however they are derived. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { EARLIEST_TIME, TIME_END } from '../../src/base/index.ts'
import { deriveAgain, isProblem } from '../../src/derivation/index.ts'
import { type DerivationHome, openDerivationHome } from '../support/derivation-home.ts'
import { Random, roundsOf, testSeeds } from '../support/random.ts'
import { type DerivedShape, type GraphShape, randomGraph } from './random-graph.ts'

const SECOND = 1_000
/** A full minute, so that intervals of every cycle begin there. */
const START = Date.UTC(2024, 0, 1)
const SPAN_S = 150
const GRAPHS = roundsOf(6)

let home: DerivationHome
before(async () => {
  home = await openDerivationHome()
})
after(() => home.close())

type Samples = [number, number | string][]
type Put = (id: string, samples: readonly (readonly [number, number])[]) => Promise<void>

const putTo =
  (compId: string): Put =>
  (id, samples) =>
    home.putTo(compId, ...samples.map(([time, value]) => [id, time, value] as const))

const putSynchronously = (compId: string, id: string, samples: readonly [number, number][]) =>
  home.putAndDerive(compId, ...samples.map(([time, value]) => [id, time, value] as const))

async function readAll(compId: string, shapes: readonly { readonly id: string }[]) {
  const all: Record<string, Samples> = {}
  for (const { id } of shapes) all[id] = await home.readOf(compId, id)
  return all
}

/** Derives everything again from nothing but the sources, in the order of the graph. */
async function recompute(compId: string, derived: readonly DerivedShape[]): Promise<void> {
  const { feed, samples: store } = home
  const { graph, status } = home.derivation
  for (const { id } of derived) {
    const plan = await graph.planOf(home.handleOf(compId, id))
    assert.ok(!isProblem(plan), JSON.stringify(plan))
    await deriveAgain({ feed, store, status }, plan, { from: EARLIEST_TIME, until: TIME_END })
  }
}

/** The next samples of a source, after all that it has. */
function nextSamples(random: Random, stepMs: number, from: number) {
  const samples: [number, number][] = []
  let time = from
  for (let count = random.integer(1, 9); count > 0; count -= 1) {
    time += stepMs * random.pick([1, 1, 1, 2, 7])
    samples.push([time, random.integer(0, 8)])
  }
  return samples
}

/** Appends to each source in the order of time, to the sources in any. */
async function appendOnly(random: Random, compId: string, { sources }: GraphShape): Promise<void> {
  const ends = new Map(sources.map(({ id }) => [id, START]))
  const put = putTo(compId)
  for (let round = 0; round < 30; round += 1) {
    const { id, stepMs } = random.pick(sources)
    const samples = nextSamples(random, stepMs, ends.get(id) ?? START)
    ends.set(id, samples[samples.length - 1][0])
    // Within the put, or in the background: it must not matter which.
    if (random.next() < 0.5) await putSynchronously(compId, id, samples)
    else await put(id, samples)
    await maybeDerive(random)
  }
}

/** Puts, overwrites, adds late and deletes anywhere. */
async function anyOrder(random: Random, compId: string, { sources }: GraphShape): Promise<void> {
  const put = putTo(compId)
  for (let round = 0; round < 40; round += 1) {
    const { id, stepMs } = random.pick(sources)
    const at = START + stepMs * random.integer(1, (SPAN_S * SECOND) / stepMs)
    const chance = random.next()
    if (chance < 0.5) await put(id, nextSamples(random, stepMs, at))
    else if (chance < 0.7) await putSynchronously(compId, id, nextSamples(random, stepMs, at))
    else await home.removeOf(compId, id, at, at + stepMs * random.pick([1, 2, 5, 500]))
    await maybeDerive(random)
  }
}

async function maybeDerive(random: Random): Promise<void> {
  const chance = random.next()
  if (chance < 0.4) await home.derivation.worker.settle()
  if (chance > 0.985) {
    await home.restart(random.next() < 0.7)
    await home.derivation.start()
  }
}

async function check(seed: number, common: Parameters<typeof randomGraph>[1]): Promise<void> {
  const random = new Random(seed)
  const graph = randomGraph(random, common)
  const { follows, trigger = 'some' } = common
  const kind = `${follows ? 'following' : 'appended'} ${trigger} ${seed}`
  const [grown, bulk] = [`grown ${kind}`, `bulk ${kind}`]
  const about = (what: string) => `${what}, seed ${seed}: ${JSON.stringify(graph)}`
  await home.add(grown, graph.streams)
  await (follows ? anyOrder : appendOnly)(random, grown, graph)
  await home.derivation.worker.settle()
  const incremental = await readAll(grown, graph.derived)
  const sources = await readAll(grown, graph.sources)
  await home.add(bulk, graph.streams)
  for (const { id } of graph.sources) {
    await putTo(bulk)(id, sources[id] as [number, number][])
  }
  await home.derivation.worker.settle()
  assert.deepEqual(await readAll(bulk, graph.derived), incremental, about('at once'))
  await recompute(bulk, graph.derived)
  assert.deepEqual(await readAll(bulk, graph.derived), incremental, about('recomputed'))
}

test('append-only orders with ALL: within puts, one by one, at once, after a kill and recomputed are the same', async (t) => {
  for (const seed of testSeeds(GRAPHS)) {
    t.diagnostic(`WEIR_TEST_SEED=${seed}`)
    await check(seed, { follows: false, trigger: 'ALL' })
  }
})

test('append-only orders with ANY, or ALL behind it, whose sources lag behind each other: the same', async (t) => {
  for (const seed of testSeeds(GRAPHS)) {
    t.diagnostic(`WEIR_TEST_SEED=${seed}`)
    await check(seed, { follows: false, trigger: 'ANY' })
    await check(seed, { follows: false })
  }
})

test('any order where all follow corrections: as derived, after a kill and recomputed are the same', async (t) => {
  for (const seed of testSeeds(GRAPHS)) {
    t.diagnostic(`WEIR_TEST_SEED=${seed}`)
    await check(seed, { follows: true })
  }
})
