import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/support/fast-check.ts'
import { BitReader, BitWriter, bitLength } from './bits.ts'
import { DamagedBytes } from './damaged-bytes.ts'

const field = fc
  .integer({ min: 0, max: 53 })
  .chain((bits) => fc.tuple(fc.constant(bits), fc.maxSafeNat()))
  .map(([bits, value]) => ({ bits, value: bits === 53 ? value : value % 2 ** bits }))

test('BitReader reads what BitWriter packed, widths of 0 to 53 bits mixed', () => {
  fc.assert(
    fc.property(fc.array(field), (fields) => {
      const writer = new BitWriter(1)
      for (const { bits, value } of fields) writer.write(value, bits)
      const bytes = writer.finish()
      assert.equal(bytes.length, Math.ceil(fields.reduce((sum, { bits }) => sum + bits, 0) / 8))
      const reader = new BitReader(bytes)
      for (const { bits, value } of fields) assert.equal(reader.read(bits), value)
      reader.finish()
    }),
  )
})

test('BitWriter writeSteps() packs as write() does, between other numbers', () => {
  const step = fc
    .tuple(fc.integer({ min: 0, max: 12 }), fc.nat())
    .map(([bits, value]) => ({ bits, value: value % 2 ** bits }))
  fc.assert(
    fc.property(fc.array(step), field, (steps, between) => {
      const packed = Uint16Array.from(steps, ({ bits, value }) => (bits << 12) | value)
      const [one, other] = [new BitWriter(1), new BitWriter(1)]
      one.write(1, 7)
      one.clear()
      for (const writer of [one, other]) writer.write(between.value, between.bits)
      one.writeSteps(packed, steps.length)
      for (const { bits, value } of steps) other.write(value, bits)
      for (const writer of [one, other]) writer.write(between.value, between.bits)
      assert.deepEqual(one.finish(), other.finish())
    }),
  )
})

test('BitReader.finish() throws when more was read than there is', () => {
  const reader = new BitReader(Uint8Array.of(0xff))
  reader.read(9)
  assert.throws(() => reader.finish(), DamagedBytes)
})

test('bitLength() counts the bits of whole numbers up to 2⁵³', () => {
  const f = (value: number, want: number) => assert.equal(bitLength(value), want)
  f(0, 0)
  f(1, 1)
  f(255, 8)
  f(256, 9)
  f(2 ** 32 - 1, 32)
  f(2 ** 32, 33)
  f(2 ** 53 - 1, 53)
  f(2 ** 53, 54)
})
