import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openFeedHome } from '../support/feed-home.ts'

test('get() of a component with thousands of silent streams leaves turns to others', async (t) => {
  const ids = Array.from({ length: 2_000 }, (_, at) => [`s${at}`, {}])
  const home = await openFeedHome(Object.fromEntries(ids))
  t.after(() => home.close())
  let turns = 0
  const count = () => {
    turns += 1
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  assert.deepEqual(await home.get(), [])
  clearImmediate(next)
  assert.ok(turns >= 5, `${turns} turns`)
})
