import assert from 'node:assert/strict'
import { test } from 'node:test'
import { componentListKey } from './folder-path.ts'

test('componentListKey() takes the beginning of a long name, and no half of a character', () => {
  const check = (name: string, listed: string) =>
    assert.equal(componentListKey('/Components/a', name), `/Components/a/\u0001${listed}`)
  check('boiler', 'boiler')
  check('x'.repeat(100), 'x'.repeat(100))
  check('x'.repeat(490), 'x'.repeat(100))
  check(`${'x'.repeat(99)}\u{1F600}end`, 'x'.repeat(99))
  check(`${'x'.repeat(98)}\u{1F600}end`, `${'x'.repeat(98)}\u{1F600}`)
})
