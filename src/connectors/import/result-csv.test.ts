import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseFailure } from '../database/database-port.ts'
import { RESULT_CHARS_MAX, ResultCsv } from './result-csv.ts'

test('ResultCsv writes NULL, quotes, line ends and empty texts so that they are read as they were', () => {
  const csv = new ResultCsv()
  csv.add(
    ['a', 'b"', 'a'],
    [
      ['1', null, ''],
      ['x,y', 'say "hi"', 'two\nlines\r\n'],
    ],
  )
  assert.equal(csv.toString(), 'a,"b""",a\n1,,""\n"x,y","say ""hi""","two\nlines\r\n"\n')
})

test('ResultCsv keeps rows of one blank cell', () => {
  const csv = new ResultCsv()
  csv.add(['a'], [])
  csv.add(['a'], [[null], [''], [' '], ['1']])
  assert.equal(csv.toString(), 'a\n,\n"",\n ,\n1\n')
})

test('ResultCsv refuses what is too long for a text', () => {
  const csv = new ResultCsv()
  const row = ['x'.repeat(1_000_000)]
  const add = () => {
    for (let count = 0; count * 1_000_000 <= RESULT_CHARS_MAX; count += 1) csv.add(['a'], [row])
  }
  assert.throws(add, (error) => error instanceof DatabaseFailure && error.reason === 'too_large')
})
