import assert from 'node:assert/strict'
import { test } from 'node:test'
import { specialCodeOf, writeSpecial } from './special-code.ts'

function bitsOf(high: number, low: number): [number, number] {
  const values = new Float64Array(2)
  const words = new Uint32Array(values.buffer)
  writeSpecial(words, 1, specialCodeOf(high, low))
  assert.deepEqual([words[0], words[1]], [0, 0])
  return [words[3], words[2]]
}

test('writeSpecial() restores the bits that specialCodeOf() was given', () => {
  const check = (high: number, low: number) => {
    const code = specialCodeOf(high, low)
    assert.ok(Number.isSafeInteger(code) && !Object.is(code, -0), `code ${code}`)
    assert.deepEqual(bitsOf(high, low), [high, low])
  }
  // The infinities, Prometheus' stale marker and NaN, and NaN with the first and last payloads of both signs.
  check(0x7ff00000, 0)
  check(0xfff00000, 0)
  check(0x7ff00000, 2)
  check(0x7ff80000, 1)
  check(0x7ff00000, 1)
  check(0xfff00000, 1)
  check(0x7fffffff, 0xffffffff)
  check(0xffffffff, 0xffffffff)
  check(0xfff80000, 0)
})

test('specialCodeOf() gives each special value a code of its own', () => {
  const codes = [
    specialCodeOf(0x7ff00000, 0),
    specialCodeOf(0xfff00000, 0),
    specialCodeOf(0x7ff00000, 1),
    specialCodeOf(0xfff00000, 1),
    specialCodeOf(0x7ff80000, 0),
  ]
  assert.equal(new Set(codes).size, codes.length)
})
