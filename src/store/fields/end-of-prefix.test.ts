import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endOfPrefix } from './end-of-prefix.ts'

test('endOfPrefix() is behind every text that begins with the prefix, and no further', () => {
  for (const prefix of ['a', '/Components/\u0001', 'é', '\ud7ff', 'a\u{10ffff}', '😀']) {
    const end = endOfPrefix(prefix) ?? assert.fail()
    const inside = ['', 'z', '\uffff', '\u{10ffff}', '\u{10ffff}\u{10ffff}x']
    for (const rest of inside) {
      assert.equal(Buffer.compare(Buffer.from(prefix + rest), Buffer.from(end)), -1, prefix)
    }
    assert.equal(end.isWellFormed(), true)
    assert.equal(end.startsWith(prefix), false)
  }
  assert.equal(endOfPrefix('ab'), 'ac')
  assert.equal(endOfPrefix(''), undefined)
  assert.equal(endOfPrefix('\u{10ffff}\u{10ffff}'), undefined)
})
