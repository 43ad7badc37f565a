/** Values by place: the work of a call grows with its values, not with their square. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { ComponentChains } from '../../../src/catalog/index/component-chains.ts'
import { StreamIndex } from '../../../src/catalog/index/stream-index.ts'
import { openFeed } from '../../support/feed-home.ts'

const COUNT = 300

function repeated(word: string, count: number): string {
  return Array.from({ length: count }, () => word).join('&')
}

function numbered(from: number, until: number): string[] {
  return Array.from({ length: until - from + 1 }, (_, at) => `stream${from + at}`)
}

/** Counts how often streams of a component are listed, and looked up by their IDs. */
function countWork(t: TestContext) {
  const lists = t.mock.method(ComponentChains.prototype, 'handlesOf').mock
  const lookUps = t.mock.method(StreamIndex.prototype, 'resolveStream').mock
  return {
    take: () => {
      const counted = { lists: lists.callCount(), lookUps: lookUps.callCount() }
      lists.resetCalls()
      lookUps.resetCalls()
      return counted
    },
  }
}

async function idsOf(feed: Awaited<ReturnType<typeof openFeed>>, compId: string) {
  const { index } = feed.catalog
  return index.resolveComponent('o', compId)?.streams.map((handle) => index.streamIdOf(handle))
}

test('put() lists the streams of a component once, however many values come by place', async (t) => {
  const feed = await openFeed(t)
  const work = countWork(t)
  await feed.put(`compId=p&${repeated('data=1', COUNT)}`)
  assert.ok(work.take().lists <= 5)
  await feed.put(`compId=p&${repeated('data=2', COUNT)}`)
  assert.equal(work.take().lists, 1)
  assert.deepEqual(await idsOf(feed, 'p'), numbered(1, COUNT))
})

test('put() looks at no name twice when the names of places are taken in the component', async (t) => {
  const feed = await openFeed(t)
  const taken = numbered(COUNT + 1, 2 * COUNT)
  await feed.put(`compId=p&${taken.map((id) => `${id}=1`).join('&')}`)
  const work = countWork(t)
  await feed.put(`compId=p&${repeated('data=2', 2 * COUNT)}`)
  // One for each taken name and each of the names that are found free.
  assert.ok(work.take().lookUps <= 2 * COUNT)
  assert.deepEqual(await idsOf(feed, 'p'), [...taken, ...numbered(2 * COUNT + 1, 3 * COUNT)])
})

test('put() looks at no name twice when the call itself names what places would be', async (t) => {
  const feed = await openFeed(t)
  await feed.put('compId=p&first=1')
  const work = countWork(t)
  const named = numbered(2, COUNT + 1)
  await feed.put(
    `compId=p&${named.map((id) => `${id}=1`).join('&')}&${repeated('data=2', COUNT + 1)}`,
  )
  // Named streams are looked up when the call is read, and again when they are made.
  assert.ok(work.take().lookUps <= 5 * COUNT)
  const made = numbered(COUNT + 2, 2 * COUNT + 1)
  assert.deepEqual(await idsOf(feed, 'p'), ['first', ...made, ...named])
})
