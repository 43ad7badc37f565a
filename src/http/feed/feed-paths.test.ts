import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type FeedCall,
  feedTarget,
  findFeedCall,
  nextTarget,
  PUT_ROUTE,
  READ_ROUTES,
  readFeedRead,
} from './feed-paths.ts'

const ids = { compId: 'a/b', streamId: 'ö %', cycleId: 'day', statId: 'avg' }
const uids = { componentUid: 'u-1', uid: 'u-2' }

test('findFeedCall() finds each path of the table, with its IDs and its query', () => {
  for (const route of READ_ROUTES) {
    const target = feedTarget(route, { ...ids, ...uids }, 'limit=1&x=?')
    for (const method of route.methods) {
      const call = findFeedCall(method, target) as FeedCall
      assert.equal(call.route, route)
      assert.equal(call.query, 'limit=1&x=?')
      const read: Record<string, string | undefined> = { ...readFeedRead(call).ids }
      for (const [name, id] of Object.entries(ids)) {
        const isNamed = route.pattern.includes(`:${name}`)
        assert.equal(read[name], isNamed ? id : undefined, `${name} in ${route.pattern}`)
      }
    }
    assert.equal(findFeedCall('PUT', target), undefined)
  }
  for (const method of ['PUT', 'GET']) {
    assert.equal(findFeedCall(method, '/api/feed?a=1')?.route, PUT_ROUTE)
    assert.equal(findFeedCall(method, '/api/feed')?.query, '')
  }
})

test('readFeedRead() reads UIDs where a path has them, and nextTarget() leads on by them', () => {
  const call = findFeedCall('GET', '/api/component/u-1/stream/u-2/feed?ed=5') as FeedCall
  const read = readFeedRead(call)
  assert.deepEqual(read.ids, { componentUid: 'u-1', streamUid: 'u-2' })
  assert.equal(nextTarget(call, read, 'ed=3'), '/api/component/u-1/stream/u-2/feed?ed=3')
})

test('nextTarget() has none for the streams of a component', () => {
  const call = findFeedCall('GET', '/api/comp/c/feed') as FeedCall
  assert.equal(nextTarget(call, readFeedRead(call), ''), undefined)
})

test('findFeedCall() leaves every other path and method to the router', () => {
  const check = (method: string, url: string) =>
    assert.equal(findFeedCall(method, url), undefined, `${method} ${url}`)
  check('HEAD', '/api/feed')
  check('DELETE', '/api/comp/c/stream/s/feed')
  check('DELETE', '/api/component/c/stream/s/feed')
  check('GET', '/api/component/c/feed')
  check('GET', '/api/component/c/stream/s/last_value')
  check('put', '/api/feed')
  check('PUT', '/api/feed/')
  check('PUT', '/API/feed')
  check('GET', '/api/comp/feed')
  check('GET', '/api/comp/c/feed/')
  check('GET', '/api/comp/c/property')
  check('GET', '/api/comp/c/streams/s/feed')
  check('GET', '/api/comp/c/cycle/day/statistic/avg/feed')
  check('GET', '/api/comp/c/stream/s/cycle/day/feed')
  check('GET', '/api/component')
  check('GET', '')
})

test('readFeedRead() refuses an ID that cannot be decoded or is blank, by its name', () => {
  const check = (url: string, message: RegExp) =>
    assert.throws(() => readFeedRead(findFeedCall('GET', url) as FeedCall), {
      code: 'bad_input',
      message,
    })
  check('/api/comp/%zz/feed', /decode the compId in the path/)
  check('/api/comp//feed', /the path: "compId" must not be blank/)
  check('/api/comp/c/stream/%20/last_value', /"streamId" must not be blank/)
  check('/api/comp/c/cycle/%/stat/avg/feed', /decode the cycleId/)
  check('/api/comp/c/cycle/day/stat//feed', /"statId" must not be blank/)
})
