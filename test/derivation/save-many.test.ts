/** Many derived streams in one save: work grows as their number does, and others have turns in between. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StreamInput } from '../../src/catalog/shape/index.ts'
import { type DerivationHome, derivationHome, owner } from '../support/derivation-home.ts'

const derived = (id: string, expression: string, streamId: string): StreamInput => ({
  id,
  streamDerivationType: 'FROM_EXPRESSION',
  derivation: { expression, variables: [{ name: 'v', streamId }] },
})

/** Streams that all read one. */
const fan = (count: number): StreamInput[] => [
  { id: 's0', valueType: 'DOUBLE' },
  ...Array.from({ length: count }, (_, at) => derived(`s${at + 1}`, `v * ${at}`, 's0')),
]

/** Streams of which each reads the one before, the last first. */
const chain = (count: number): StreamInput[] =>
  Array.from({ length: count }, (_, at) => derived(`s${at + 1}`, `v + ${at}`, `s${at}`))
    .concat({ id: 's0', valueType: 'DOUBLE' })
    .reverse()

interface Work {
  readonly reads: number
  readonly plans: number
  /** The most of both in one iteration of the event loop. */
  readonly most: number
}

/** Counts what a call asks of the catalog's store, and the plans it makes. */
async function workOf(home: DerivationHome, call: () => Promise<unknown>): Promise<Work> {
  const { catalogStore } = home
  const { graph } = home.derivation
  const counts = { reads: 0, plans: 0 }
  let [inTurn, most, isOver] = [0, 0, false]
  const count = (kind: keyof typeof counts): void => {
    counts[kind] += 1
    inTurn += 1
    most = Math.max(most, inTurn)
  }
  const get = catalogStore.get.bind(catalogStore)
  const planOf = graph.planOf.bind(graph)
  Object.assign(catalogStore, {
    get: (...args: Parameters<typeof get>) => {
      count('reads')
      return get(...args)
    },
  })
  graph.planOf = (...args) => {
    count('plans')
    return planOf(...args)
  }
  const iteration = (): void => {
    inTurn = 0
    if (!isOver) setImmediate(iteration)
  }
  iteration()
  await call()
  isOver = true
  Object.assign(catalogStore, { get })
  graph.planOf = planOf
  return { ...counts, most }
}

for (const [name, streamsOf] of Object.entries({ fan, chain })) {
  test(`saving a ${name} of derived streams takes work in proportion, in slices`, async (t) => {
    const home = await derivationHome(t)
    const insert = (count: number) => () => home.add(`${name} ${count}`, streamsOf(count))
    const some = await workOf(home, insert(150))
    const many = await workOf(home, insert(600))
    assert.ok(many.plans >= 600, `${many.plans} plans`)
    assert.ok(many.reads <= 4.2 * some.reads, `${some.reads} and ${many.reads} reads`)
    assert.ok(many.plans <= 4.2 * some.plans, `${some.plans} and ${many.plans} plans`)
    assert.ok(many.most <= 50, `${many.most} reads and plans in one turn`)
    const uid = home.catalog.index.componentOf(home.handleOf(`${name} 600`, 's0')).uid
    const shown = await workOf(home, () => home.catalog.components.get(owner, uid))
    assert.ok(shown.most <= 50, `${shown.most} reads and plans in one turn of a GET`)
    const { stream } = await home.catalog.components.get(owner, uid)
    const again = await workOf(home, () => home.catalog.components.update(owner, uid, { stream }))
    assert.ok(again.reads <= many.reads, `${again.reads} reads to save it again`)
    assert.ok(again.most <= 50, `${again.most} reads and plans in one turn of saving it again`)
  })
}
