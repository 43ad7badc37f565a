import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keptFrom, Retention } from '../../src/feed/expire/retention.ts'
import { keyWith, openFeedHome } from '../support/feed-home.ts'

const anything = keyWith(['*', 'GET PUT POST DELETE'])

test('Retention follows profile, stream and zone at once', async (t) => {
  const { catalog, close } = await openFeedHome({ a: {}, b: {} })
  t.after(close)
  const retention = new Retention(catalog)
  const { index, deleteProfiles } = catalog
  const [a, b] = [index.resolve('o', 'c', 'a'), index.resolve('o', 'c', 'b')]
  const { uid: componentUid } = index.componentOf(a)
  const give = (handle: number, profileUid: string | undefined) =>
    catalog.streams.update(
      anything,
      { componentUid, uid: index.streamUid(handle) },
      { delete_profile: profileUid === undefined ? null : { uid: profileUid } },
    )
  assert.equal(await retention.ruleOf(a), undefined)
  const day = await deleteProfiles.insert(anything, { name: 'd', sizeType: 'DAY', count: 1 })
  await give(a, day.uid)
  await give(b, day.uid)
  const rule = await retention.ruleOf(a)
  assert.deepEqual(rule, { age: { sizeType: 'DAY', count: 1 }, timeZone: 'UTC' })
  assert.ok(rule)
  assert.equal(await retention.ruleOf(b), rule)
  assert.equal(retention.isInForce(a, rule), true)

  await catalog.components.update(anything, componentUid, { timeZoneId: 'America/New_York' })
  assert.equal(retention.isInForce(a, rule), false)
  const moved = await retention.ruleOf(a)
  assert.ok(moved)
  // The clocks went back that night: the day before has 25 hours.
  const noon = Date.UTC(2024, 10, 3, 17)
  assert.equal(noon - keptFrom(moved, noon), 25 * 3_600_000)

  await deleteProfiles.update(anything, day.uid, { count: 2 })
  assert.equal(retention.isInForce(a, moved), false)
  assert.equal((await retention.ruleOf(a))?.age.count, 2)
  await deleteProfiles.update(anything, day.uid, { count: 1 })
  assert.equal(await retention.ruleOf(a), moved)

  const year = await deleteProfiles.insert(anything, { name: 'y', sizeType: 'YEAR', count: 1 })
  await give(a, year.uid)
  assert.equal(retention.isInForce(a, moved), false)
  assert.equal((await retention.ruleOf(a))?.age.sizeType, 'YEAR')
  await give(a, undefined)
  assert.equal(await retention.ruleOf(a), undefined)
  await retention.ruleOf(b)
  assert.equal(retention.isInForce(b, moved), true)
  await catalog.streams.delete(anything, componentUid, index.streamUid(b))
  assert.equal(retention.isInForce(b, moved), false)
  assert.equal(await retention.ruleOf(b), undefined)
})
