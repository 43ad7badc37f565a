import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { MemoryBudget, nextTurn } from '../../../src/base/index.ts'
import {
  CREATED_COMPONENT_BYTES,
  CREATED_STREAM_BYTES,
} from '../../../src/feed/put/creation-memory.ts'
import { keyWith, NOW, openFeedHome } from '../../support/feed-home.ts'

const MB = 1_000_000
const administrator = keyWith(['*', 'GET PUT POST DELETE'])

function fleet(components: number, streams = 1) {
  const stream = Array.from({ length: streams }, (_, at) => ({
    ...{ streamId: `s${at}`, time: [NOW], data: [1] },
  }))
  const component = Array.from({ length: components }, (_, at) => ({
    componentId: `d${at}`,
    stream,
  }))
  return { feed: { component } }
}

async function openHome(t: TestContext, budget: MemoryBudget) {
  const home = await openFeedHome({}, budget)
  t.after(() => home.close())
  const isMade = () => home.catalog.index.resolveComponent('o', 'd0') !== undefined
  return { isMade, put: (body: unknown) => home.putJson(body, '', administrator) }
}

test('components and streams count in the memory budget while they are created', async (t) => {
  const budget = new MemoryBudget(80 * MB)
  const { put } = await openHome(t, budget)
  let most = 0
  let isOver = false
  const look = async () => {
    while (!isOver) {
      most = Math.max(most, budget.figures.usedBytes)
      await nextTurn()
    }
  }
  const looking = look()
  await put(fleet(500, 3))
  isOver = true
  await looking
  assert.equal(most, 500 * CREATED_COMPONENT_BYTES + 1_500 * CREATED_STREAM_BYTES)
  assert.equal(budget.figures.usedBytes, 0)
})

test('the same components that exist count nothing', async (t) => {
  const budget = new MemoryBudget(4 * MB)
  const { put } = await openHome(t, budget)
  await put(fleet(500))
  const share = await budget.take(3 * MB)
  await put(fleet(500))
  share.release()
  assert.equal(budget.figures.refused, 0)
})

test('a creation waits until there is memory for it, and makes nothing before', async (t) => {
  const budget = new MemoryBudget(4 * MB)
  const { isMade, put } = await openHome(t, budget)
  const share = await budget.take(3 * MB)
  const putting = put(fleet(500))
  while (budget.figures.waiting === 0) await nextTurn()
  assert.equal(isMade(), false)
  share.release()
  await putting
  assert.equal(isMade(), true)
  assert.equal(budget.figures.usedBytes, 0)
})

test('a creation that waits in vain is refused, with nothing made', async (t) => {
  const budget = new MemoryBudget(4 * MB, 1)
  const { isMade, put } = await openHome(t, budget)
  const share = await budget.take(3 * MB)
  await assert.rejects(put(fleet(500)), { code: 'overloaded', status: 503 })
  assert.equal(isMade(), false)
  share.release()
  assert.equal(budget.figures.usedBytes, 0)
})

test('a creation that can never fit is refused, with nothing made; its parts pass', async (t) => {
  const budget = new MemoryBudget(4 * MB)
  const { isMade, put } = await openHome(t, budget)
  await assert.rejects(put(fleet(1_000)), { code: 'body_too_large', status: 413 })
  assert.equal(isMade(), false)
  await put(fleet(500))
  assert.equal(isMade(), true)
  assert.equal(budget.figures.usedBytes, 0)
})
