import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ByteReader } from './byte-reader.ts'
import { ByteWriter } from './byte-writer.ts'
import { DamagedBytes } from './damaged-bytes.ts'
import { readDoubles, writeDoubles } from './doubles.ts'
import { writeIntegers } from './integers.ts'

const COUNT = 16

/** Sixteen zeros without decimals, one of which is listed apart at a place. */
function zerosWithException(place: number): ByteReader {
  const writer = new ByteWriter()
  writer.u8(0)
  writeIntegers(writer, new Float64Array(COUNT))
  writer.varint(1)
  writer.varint(place)
  writer.f64(0.5)
  return new ByteReader(writer.finish())
}

test('doubles come back to the last bit, those that do not scale among others', () => {
  const values = Float64Array.from({ length: 64 }, (_, at) => at / 10)
  values[0] = -0
  values[63] = 1 / 3
  const writer = new ByteWriter()
  writeDoubles(writer, values)
  assert.deepEqual(readDoubles(new ByteReader(writer.finish()), 64), values)
})

test('an exception may be the last value, and none lies behind it', () => {
  assert.equal(readDoubles(zerosWithException(COUNT - 1), COUNT)[COUNT - 1], 0.5)
  assert.throws(() => readDoubles(zerosWithException(COUNT), COUNT), DamagedBytes)
})
