import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DueStreams } from './due-streams.ts'

test('DueStreams returns streams once they have many runs or bytes, in the order they became due', () => {
  const due = new DueStreams()
  for (let at = 0; at < 127; at += 1) due.count(5_000, { rows: 1, bytes: 10 }, at)
  assert.deepEqual(due.take(1_000, 10), [])
  due.count(9, { rows: 1, bytes: 2_000_000 }, 200)
  due.count(5_000, { rows: 1, bytes: 10 }, 201)
  due.count(9, { rows: 1, bytes: 2_000_000 }, 202)
  assert.deepEqual(due.take(200, 10), [])
  assert.deepEqual(due.take(201, 10), [9])
  assert.deepEqual(due.take(1_000, 10), [5_000])
  due.count(5_000, { rows: 127, bytes: 10 }, 300)
  assert.deepEqual(due.take(1_000, 10), [])
})
