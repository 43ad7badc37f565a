import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { fc } from '../../../../../test/support/fast-check.ts'
import { addToCrc, CRC_START, crcOf } from './crc-bytes.ts'

test('addToCrc() tells what zlib does, over any stretches', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 70 }), fc.nat(70), fc.nat(70), (bytes, a, b) => {
      const [from, until] = [Math.min(a, b, bytes.length), Math.min(Math.max(a, b), bytes.length)]
      const whole = addToCrc(CRC_START, bytes, 0, bytes.length)
      assert.equal(crcOf(whole), crc32(bytes))
      const parts = addToCrc(addToCrc(CRC_START, bytes, 0, from), bytes, from, until)
      assert.equal(crcOf(parts), crc32(bytes.subarray(0, until)))
    }),
  )
})
