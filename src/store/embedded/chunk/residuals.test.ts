import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/support/fast-check.ts'
import { BitWriter } from './bits.ts'
import { decodeChunk, encodeChunk } from './index.ts'
import { NARROW_MAX, packNarrow, packWide } from './residuals.ts'

function pack(
  how: typeof packNarrow,
  values: readonly number[],
  divisor: number,
): { order: number; symbols: number[]; extra: number[] } | undefined {
  const symbols = new Uint8Array(values.length - 1)
  const extra = new BitWriter()
  const order = how(Float64Array.from(values), divisor, { symbols, extra })
  if (order === undefined) return undefined
  return { order, symbols: [...symbols], extra: [...extra.finish()] }
}

const step = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.integer({ min: -40, max: 40 }),
  fc.integer({ min: -NARROW_MAX, max: NARROW_MAX }),
  fc.constantFrom(NARROW_MAX, -NARROW_MAX),
)

test('packNarrow() packs as packWide() does, up to the largest jumps it takes', () => {
  const steps = fc.array(step, { minLength: 1, maxLength: 60 })
  const first = fc.integer({ min: -(2 ** 40), max: 2 ** 40 })
  fc.assert(
    fc.property(steps, first, fc.constantFrom(1, 7, 1_000), (tail, start, divisor) => {
      const values = [start, ...tail.map((value) => start + value * divisor)]
      assert.deepEqual(pack(packNarrow, values, divisor), pack(packWide, values, divisor))
    }),
    { numRuns: 1_000 },
  )
})

test('packNarrow() packs walks and slopes as packWide() does', () => {
  const moves = fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 2, maxLength: 200 })
  fc.assert(
    fc.property(moves, fc.nat({ max: 5_000 }), (list, slope) => {
      let value = 0
      const values = list.map((move) => (value += move + slope))
      assert.deepEqual(pack(packNarrow, values, 1), pack(packWide, values, 1))
    }),
    { numRuns: 500 },
  )
})

test('packNarrow() leaves steps beyond its range alone', () => {
  for (const beyond of [NARROW_MAX + 1, -NARROW_MAX - 1, 2 ** 32, -(2 ** 50)]) {
    const symbols = new Uint8Array(2).fill(9)
    const extra = new BitWriter()
    const values = Float64Array.of(0, 5, beyond)
    assert.equal(packNarrow(values, 1, { symbols, extra }), undefined)
    assert.deepEqual([[...symbols], extra.finish().length], [[9, 9], 0])
  }
})

test('jumps of any size inside a slope come back as they were', () => {
  for (const jump of [NARROW_MAX - 1, NARROW_MAX, NARROW_MAX + 1, 2 ** 29, 2 ** 30, 2 ** 31]) {
    const count = 1_000
    const times = Float64Array.from({ length: count }, (_, index) => index * 1_000)
    const numbers = Float64Array.from({ length: count }, (_, index) => index * 1_001)
    numbers.set([jump, -jump, jump], 500)
    const decoded = decodeChunk(encodeChunk({ count, times, numbers }, { stream: 1, isRun: false }))
    assert.deepEqual(decoded.numbers, numbers, `jump ${jump}`)
  }
})
