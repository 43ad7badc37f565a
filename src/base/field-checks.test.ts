import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readId, showValue } from './field-checks.ts'

test('readId() takes 1 to 512 characters that are not all blank, and names what is wrong', () => {
  const check = (value: unknown, message: RegExp) =>
    assert.throws(() => readId(value, 'the call', 'compId'), { code: 'bad_input', message })
  for (const id of ['a', ' a ', '😀'.repeat(512)]) {
    assert.equal(readId(id, 'the call', 'compId'), id)
  }
  check(undefined, /Cannot accept the call: "compId" is missing/)
  check(7, /must be a string, got 7/)
  check(' \t', /must not be blank/)
  check('😀'.repeat(513), /has 513 characters: at most 512/)
  check('a\ud800', /not valid Unicode/)
})

test('showValue() shows any value in at most 60 characters', () => {
  assert.equal(showValue(undefined), 'nothing')
  assert.equal(showValue(['a', 1]), '["a",1]')
  assert.equal(showValue('x'.repeat(100)), `"${'x'.repeat(56)}...`)
})
