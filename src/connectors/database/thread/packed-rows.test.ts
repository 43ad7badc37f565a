import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packRows, unpackRows } from './packed-rows.ts'

test('unpackRows() gives the rows that were packed', () => {
  const cases = [
    [],
    [['a', null, '', 'ü😀']],
    [
      [null, null],
      ['', ''],
      ['1', 'x\0y'],
    ],
  ]
  for (const rows of cases) assert.deepEqual(unpackRows(packRows(rows)), rows)
})
