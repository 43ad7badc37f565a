import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { anyCharacter, fc } from '../../../../../test/support/fast-check.ts'
import { CRC_START, crcOf } from './crc-bytes.ts'
import { pieceOf, RowBytes } from './row-bytes.ts'

test('what is added is the text that is read, and its checksum zlib’s', () => {
  const row = new RowBytes()
  const part = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 40 }),
    fc.maxSafeNat(),
    fc.nat(200_000_000),
    fc.constantFrom(0, 9, 10, 99_999_999, 100_000_000, 10 ** 15, Number.MAX_SAFE_INTEGER),
    fc.string({ maxLength: 3_000 }),
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), fc.boolean(), (parts, arePieces) => {
      row.clear()
      for (const one of parts) {
        if (typeof one === 'number') row.addNumber(one)
        else if (arePieces) row.addPiece(pieceOf(one))
        else row.addText(one)
      }
      const text = parts.join('')
      assert.equal(row.text(0, row.at), text)
      assert.equal(crcOf(row.addToCrc(CRC_START, 0, row.at)), crc32(text))
    }),
  )
})

test('hex digits stand where room was left for them', () => {
  const row = new RowBytes()
  fc.assert(
    fc.property(fc.nat(0xffff_ffff), (number) => {
      row.clear()
      row.addAscii(Buffer.from('<<a:b>>'), 2, 4)
      const at = row.at
      row.skip(8)
      row.addCode(33)
      row.setHex(at, number)
      assert.equal(row.text(0, row.at), `a:${number.toString(16).padStart(8, '0')}!`)
    }),
  )
})
