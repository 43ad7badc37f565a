import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/support/fast-check.ts'
import { ByteReader } from './byte-reader.ts'
import { ByteWriter } from './byte-writer.ts'
import { decimalInteger, fewestDecimals } from './decimals.ts'
import { PACKABLE_INTEGER_MAX, readIntegers, writeIntegers } from './integers.ts'

function pack(values: readonly number[]): Uint8Array {
  const writer = new ByteWriter()
  writeIntegers(writer, Float64Array.from(values))
  return writer.finish()
}

const integer = fc.oneof(
  fc.integer({ min: -100, max: 100 }),
  fc.integer({ min: -PACKABLE_INTEGER_MAX, max: PACKABLE_INTEGER_MAX }),
  fc.constantFrom(PACKABLE_INTEGER_MAX, -PACKABLE_INTEGER_MAX, 0),
)

test('readIntegers() gives back every column, up to the largest jumps', () => {
  const column = fc.oneof(
    fc.array(integer, { maxLength: 200 }),
    fc.array(
      fc.integer({ min: 0, max: 50 }).map((step) => step * 625),
      { maxLength: 200 },
    ),
  )
  fc.assert(
    fc.property(column, (values) => {
      const read = readIntegers(new ByteReader(pack(values)), values.length)
      assert.deepEqual(Array.from(read), values)
    }),
    { numRuns: 500 },
  )
})

test('writeIntegers() spends next to nothing on slopes and on common factors', () => {
  const indexes = Array.from({ length: 1_000 }, (_, index) => index)
  const f = (value: (index: number) => number, bytesMax: number) => {
    const bytes = pack(indexes.map(value)).length
    assert.ok(bytes <= bytesMax, `${bytes} bytes`)
  }
  f(() => 7, 3)
  f((index) => 1_700_000_000_000 + index * 10_000, 20)
  f((index) => index * index, 30)
  f((index) => (index % 2) * 1_000_000_000, 160)
})

test('fewestDecimals() and decimalInteger() know decimals from other doubles', () => {
  const f = (values: number[], want: number | undefined) =>
    assert.equal(fewestDecimals(Float64Array.from(values)), want)
  f([1, 2, 3], 0)
  f([1, 2.5], 1)
  f([21.37, 0.1], 2)
  f([0.0625], 4)
  f([1 / 3], undefined)
  f([0.1 + 0.2], undefined)
  f([-0], undefined)
  f([1e300], undefined)
  assert.equal(decimalInteger(-21.37, 2), -2_137)
  assert.equal(decimalInteger(21.375, 2), undefined)
})
