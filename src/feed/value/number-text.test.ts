import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalDecimal, isNumberText, isWholeText, parseNumberText } from './number-text.ts'

test('isNumberText() takes decimal numbers in every common way of writing', () => {
  for (const text of ['5', '+5', '-5.', '.5', ' 5.25 ', '1e3', '1.E-3', '\t.5e+10\n']) {
    assert.equal(isNumberText(text), true, text)
    assert.equal(parseNumberText(text), Number(text), text)
  }
  for (const text of ['', ' ', '.', '+', 'e5', '5e', '1 2', '0x10', '1_000', '--1', '5,0', 'NaN']) {
    assert.equal(isNumberText(text), false, text)
    assert.ok(Number.isNaN(parseNumberText(text)), text)
    assert.equal(canonicalDecimal(text), undefined, text)
  }
})

test('canonicalDecimal() writes equal numbers in one way', () => {
  const check = (text: string, expected: string | undefined) =>
    assert.equal(canonicalDecimal(text), expected, text)
  check('007.500', '7.5')
  check('-.5e1', '-5')
  check('5.', '5')
  check('+12e-3', '0.012')
  check('-0.00', '0')
  check('1e1000', `1${'0'.repeat(1000)}`)
  check('1e1001', undefined)
})

test('a long text that is no number at its last character is refused like a short one', () => {
  const digits = '1'.repeat(1_000_000)
  const zeros = `0.${'0'.repeat(1_000_000)}1`
  const blanks = ' '.repeat(1_000_000)
  for (const text of [`${digits}x`, `${digits}.${digits}x`, `${blanks}x`, `1${blanks}x`]) {
    assert.equal(isNumberText(text), false)
    assert.equal(isWholeText(text), false)
    assert.equal(canonicalDecimal(text), undefined)
  }
  assert.equal(isNumberText(zeros), true)
})
