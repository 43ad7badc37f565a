import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { fc } from '../../../../../test/support/fast-check.ts'
import { roundsOf } from '../../../../../test/support/random.ts'
import { addField, CHECK_START, endCheck, type Field } from './row-check.ts'

/** A field as docs/format/catalog-db.md has it in a checksum. */
function bytesOf(field: Field): Buffer {
  if (field === null) return Buffer.of(0)
  if (typeof field === 'number') {
    const bytes = Buffer.alloc(9, 1)
    bytes.writeBigInt64LE(BigInt(field), 1)
    return bytes
  }
  const bytes = Buffer.alloc(5, 2)
  bytes.writeUInt32LE(field.length, 1)
  return Buffer.concat([bytes, Buffer.from(field, 'utf16le')])
}

test('addField() makes the CRC-32 of the fields', () => {
  const text = fc.string({ unit: 'grapheme' })
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constant(null), fc.maxSafeInteger(), text)), (fields) => {
      const check = fields.reduce<number>(addField, CHECK_START)
      assert.equal(endCheck(check), crc32(Buffer.concat(fields.map(bytesOf))))
    }),
    { numRuns: roundsOf(300) },
  )
})
