import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { MemoryBudget, nextIteration } from '../../../src/base/index.ts'
import { CREATED_COMPONENT_BYTES, CREATED_STREAM_BYTES } from '../../../src/feed/put/put-room.ts'
import { keyWith, NOW, openFeedHome } from '../../support/feed-home.ts'

const MB = 1_000_000
const administrator = keyWith(['*', 'GET PUT POST DELETE'])

function fleet(components: number, streams = 1) {
  const stream = Array.from({ length: streams }, (_, at) => ({
    streamId: `s${at}`,
    time: [NOW],
    data: [1],
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
  return { home, isMade, put: (body: unknown) => home.putJson(body, '', administrator) }
}

test('components and streams count in the memory budget while they are created', async (t) => {
  const budget = new MemoryBudget(80 * MB)
  const { put } = await openHome(t, budget)
  let most = 0
  let isOver = false
  const look = async () => {
    while (!isOver) {
      most = Math.max(most, budget.figures.usedBytes)
      await nextIteration()
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
  while (budget.figures.waiting === 0) await nextIteration()
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

test('a right that is lost while a creation waits for memory is missed after it', async (t) => {
  const budget = new MemoryBudget(4 * MB)
  const { home, isMade } = await openHome(t, budget)
  const share = await budget.take(3 * MB)
  const body = Buffer.from(JSON.stringify(fleet(500)))
  let caller = administrator
  const renew = () => caller
  const putting = home.calls.put(administrator, '', body, { warn: () => {}, renew })
  while (budget.figures.waiting === 0) await nextIteration()
  caller = keyWith(['component/*/feed', 'GET'])
  share.release()
  await assert.rejects(putting, { code: 'forbidden' })
  assert.equal(isMade(), false)
  assert.equal(budget.figures.usedBytes, 0)
})

test('streams that a template brings count, and those that rsid has made', async (t) => {
  const budget = new MemoryBudget(4 * MB)
  const { home, isMade } = await openHome(t, budget)
  const stream = Array.from({ length: 100 }, (_, at) => ({ id: `t${at}` }))
  await home.catalog.templates.insert(administrator, { id: 'tmpl', stream })
  const share = await budget.take(3 * MB)
  const putting = home.putJson(fleet(20), 'compTmplId=tmpl', administrator)
  while (budget.figures.waiting === 0) await nextIteration()
  assert.equal(isMade(), false)
  const rsid = Array.from({ length: 600 }, (_, at) => `rsid=r${at}`).join('&')
  const requesting = home.put(`compId=one&s=1&${rsid}`, administrator)
  while (budget.figures.waiting === 1) await nextIteration()
  assert.equal(home.catalog.index.resolve('o', 'one', 'r0'), 0)
  share.release()
  await Promise.all([putting, requesting])
  assert.equal(isMade(), true)
  assert.notEqual(home.catalog.index.resolve('o', 'one', 'r599'), 0)
  assert.equal(budget.figures.usedBytes, 0)
})
