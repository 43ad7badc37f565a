import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { LiveKeys } from './live-keys.ts'

const keyOf = (index: number): string =>
  createHash('sha256').update(`${index}`).digest('hex').slice(0, 32)

test('LiveKeys knows exactly what was added, also when added between questions', () => {
  const live = new LiveKeys()
  assert.equal(live.has(keyOf(0)), false)
  for (let index = 0; index < 5000; index += 2) live.add(keyOf(index))
  for (let index = 0; index < 5000; index += 1)
    assert.equal(live.has(keyOf(index)), index % 2 === 0, `key ${index}`)
  live.add(keyOf(1))
  assert.equal(live.has(keyOf(1)), true)
  assert.equal(live.has(keyOf(0)), true)
})
