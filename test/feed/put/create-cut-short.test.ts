import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openFeedHome } from '../../support/feed-home.ts'

const body = [
  { compId: 'fresh', streamId: 'a', time: 1_000, data: 1 },
  { compId: 'fresh', streamId: 'b', time: 1_000, data: 2 },
]

test('a put that ends between the catalog and the journal leaves at most empty streams, and can be repeated', async (t) => {
  const home = await openFeedHome()
  t.after(() => home.close())
  const append = home.store.append.bind(home.store)
  home.store.append = () => Promise.reject(new Error('the journal is gone'))
  await assert.rejects(home.putJson(body), /the journal is gone/)
  const another = await home.openAnother()
  const component = another.index.resolveComponent('o', 'fresh')
  assert.ok(component !== undefined)
  assert.equal(component.streamCount, 2)
  assert.equal(home.landed.length, 0)
  home.store.append = append
  await home.putJson(body)
  const again = await home.openAnother()
  assert.deepEqual(again.index.resolveComponent('o', 'fresh')?.streams, component.streams)
  assert.deepEqual(
    home.landed.map(({ count, handles }) => [...handles.slice(0, count)]),
    [[...component.streams]],
  )
})

test('puts at once that create the same make one component, and all of their samples are stored', async (t) => {
  const home = await openFeedHome()
  t.after(() => home.close())
  const puts = Array.from({ length: 20 }, (_, at) =>
    home.putJson(body.map((sample) => ({ ...sample, time: 1_000 + at }))),
  )
  await Promise.all(puts)
  const { index } = home.catalog
  const component = index.resolveComponent('o', 'fresh')
  assert.equal(component?.streamCount, 2)
  assert.equal(index.componentCount, 2, 'beside the one that every home has')
  const times = home.landed.flatMap(({ count, times: all }) => [...all.slice(0, count)])
  const expected = puts.flatMap((_, at) => [1_000 + at, 1_000 + at])
  assert.deepEqual(
    times.sort((a, b) => a - b),
    expected,
  )
})
