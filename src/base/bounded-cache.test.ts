import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BoundedCache } from './bounded-cache.ts'

test('BoundedCache keeps what is used, forgets what is not, and never grows beyond its size', () => {
  const cache = new BoundedCache<number, string>(10)
  for (let key = 0; key < 100; key += 1) {
    cache.set(key, `value ${key}`)
    assert.equal(cache.get(0), 'value 0')
    assert.equal(cache.get(key), `value ${key}`)
    assert.ok([...cache.values()].length <= 10)
  }
  assert.equal(cache.get(50), undefined)
})

test('BoundedCache holds one value for a key, and none after delete()', () => {
  const cache = new BoundedCache<string, number>(4)
  for (const key of ['a', 'b', 'c']) cache.set(key, 1)
  cache.set('a', 2)
  assert.equal(cache.get('a'), 2)
  assert.deepEqual([...cache.values()].sort(), [1, 1, 2])
  for (const key of ['a', 'b', 'c']) cache.delete(key)
  assert.deepEqual([...cache.values()], [])
})
