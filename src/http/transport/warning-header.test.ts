import assert from 'node:assert/strict'
import { test } from 'node:test'
import { warningText } from './warning-header.ts'

test('warningText() makes one list that fits into a head', () => {
  assert.equal(warningText([]), undefined)
  assert.equal(warningText(['one']), 'one')
  assert.equal(warningText(['a, b', 'c\r\nX: 1', 'ü']), 'a; b, c??X: 1, ?')
  const long = warningText(new Array<string>(100).fill('x'.repeat(400))) ?? ''
  assert.equal(long.length, 2_000)
})
