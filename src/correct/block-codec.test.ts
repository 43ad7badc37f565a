import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packBlock, unpackBlock } from './block-codec.ts'

test('unpackBlock() returns the bits that packBlock() was given', () => {
  const samples = {
    count: 4,
    times: Float64Array.of(-5, 0, 1, 8.64e15, 99),
    numbers: Float64Array.of(-0, 5e-324, 1.7976931348623157e308, 0, 99),
    texts: [undefined, undefined, undefined, 'gr\u00fc\u00dfe \ud83d\ude00\n', 'x'],
  }
  const specials = { count: 2, times: Float64Array.of(2, 3), numbers: Float64Array.of(1, 2) }
  const { samples: found, specials: foundSpecials } = unpackBlock(packBlock({ samples, specials }))
  assert.equal(found.count, 4)
  assert.deepEqual(found.times, samples.times.subarray(0, 4))
  assert.ok(Object.is(found.numbers[0], -0))
  assert.deepEqual(found.numbers, samples.numbers.subarray(0, 4))
  assert.deepEqual(found.texts, samples.texts.slice(0, 4))
  assert.deepEqual(foundSpecials, specials)
  const none = { count: 0, times: new Float64Array(0), numbers: new Float64Array(0) }
  assert.equal(unpackBlock(packBlock({ samples: none, specials: none })).samples.texts, undefined)
})
