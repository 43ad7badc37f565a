import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/support/fast-check.ts'
import { DamagedBytes } from './damaged-bytes.ts'
import { decodeEntropy, encodeEntropy } from './entropy.ts'

function histogramOf(symbols: Uint8Array): Uint32Array {
  const histogram = new Uint32Array(256)
  for (const symbol of symbols) histogram[symbol]++
  return histogram
}

/** What the frequencies alone allow, in bytes. */
function leastBytes(symbols: Uint8Array): number {
  let bits = 0
  for (const count of histogramOf(symbols)) {
    if (count > 0) bits += count * Math.log2(symbols.length / count)
  }
  return bits / 8
}

const anySymbols = fc.oneof(
  fc.uint8Array({ minLength: 2, maxLength: 5_000 }),
  fc.uint8Array({ minLength: 2, maxLength: 5_000, max: 3 }),
  fc
    .array(fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 1, 255), { minLength: 2, maxLength: 4_096 })
    .map((list) => Uint8Array.from(list)),
)

test('decodeEntropy() gives back what encodeEntropy() packed', () => {
  fc.assert(
    fc.property(anySymbols, (symbols) => {
      // One symbol alone is written as a constant instead.
      fc.pre(symbols.some((symbol) => symbol !== symbols[0]))
      const packed = encodeEntropy(symbols, histogramOf(symbols))
      assert.deepEqual(decodeEntropy(packed, symbols.length), symbols)
    }),
    { numRuns: 300 },
  )
})

test('encodeEntropy() comes near what the frequencies allow', () => {
  const symbols = Uint8Array.from({ length: 4_096 }, (_, index) => {
    const noise = (Math.imul(index + 1, 0x9e3779b1) >>> 16) % 100
    return noise < 80 ? 0 : noise < 90 ? 1 : noise < 99 ? 2 : noise
  })
  const packed = encodeEntropy(symbols, histogramOf(symbols)).length
  assert.ok(packed < leastBytes(symbols) * 1.03 + 16, `${packed} of ${leastBytes(symbols)} bytes`)
})

test('decodeEntropy() refuses tables that do not add up and symbols that end too early', () => {
  const symbols = Uint8Array.from({ length: 500 }, (_, index) => index % 7)
  const packed = encodeEntropy(symbols, histogramOf(symbols))
  assert.throws(() => decodeEntropy(packed.subarray(0, 60), 500), DamagedBytes)
  assert.throws(() => decodeEntropy(new Uint8Array(40), 500), DamagedBytes)
  assert.throws(() => decodeEntropy(new Uint8Array(40).fill(255), 500), DamagedBytes)
})
