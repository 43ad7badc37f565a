import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { sortInSlices } from './sort-in-slices.ts'

test('sortInSlices() sorts as Array.sort does, and keeps the order of equals', async () => {
  for (const length of [0, 1, 2, 4_095, 4_096, 4_097, 20_001]) {
    const items = Array.from({ length }, (_, at) => ({ key: randomInt(100), at }))
    const sorted = await sortInSlices(items, (a, b) => a.key - b.key)
    const expected = items.toSorted((a, b) => a.key - b.key || a.at - b.at)
    assert.deepEqual(sorted, expected)
  }
})
