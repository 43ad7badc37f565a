import assert from 'node:assert/strict'
import { test } from 'node:test'
import { growColumn } from './grow-column.ts'

test('growColumn() gives back a column that is long enough, else a longer one of its kind', () => {
  const column = Uint16Array.of(1, 2, 3)
  assert.equal(growColumn(column, 3), column)
  assert.deepEqual(growColumn(column, 4), Uint16Array.of(1, 2, 3, 0, 0, 0))
  assert.deepEqual(growColumn(column, 8), Uint16Array.of(1, 2, 3, 0, 0, 0, 0, 0))
  assert.deepEqual(growColumn(Float64Array.of(1), 2, -1), Float64Array.of(1, -1))
  assert.deepEqual(growColumn(new Int32Array(0), 2, 7), Int32Array.of(7, 7))
})
