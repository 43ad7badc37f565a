import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { BlockSums, readTrailer, writeTrailer } from './block-sums.ts'

const KEY = 'body-of-a-file'

/** What docs/format/files.md says, in the bytes of a body of two blocks. */
function describedTrailer(body: Buffer): Buffer {
  const trailer = Buffer.alloc(2 * 4 + 32)
  trailer.writeUInt32LE(crc32(body.subarray(0, 2 ** 20), crc32(`${KEY} 0`)), 0)
  trailer.writeUInt32LE(crc32(body.subarray(2 ** 20), crc32(`${KEY} 1`)), 4)
  trailer.write('WEIRBODY', 8)
  trailer.writeUInt32LE(1, 16)
  trailer.writeUInt32LE(2 ** 20, 20)
  trailer.writeBigUInt64LE(BigInt(body.length), 24)
  trailer.writeUInt32LE(crc32(trailer.subarray(0, 36), crc32(KEY)), 36)
  return trailer
}

test('a trailer has the bytes that the description of the format names, and is read back', () => {
  const body = Buffer.alloc(2 ** 20 + 5, 'a body')
  const sums = new BlockSums(KEY)
  // In pieces that end within blocks.
  for (let at = 0; at < body.length; at += 300_000) sums.add(body.subarray(at, at + 300_000))
  const trailer = writeTrailer(KEY, sums)
  assert.deepEqual(trailer, describedTrailer(body))
  assert.deepEqual(readTrailer(KEY, sums, trailer), sums.sums)
})

test('a trailer of another key, length, version or block size is not read', () => {
  const sums = new BlockSums(KEY)
  sums.add(Buffer.alloc(2 ** 20 + 5, 'a body'))
  const trailer = writeTrailer(KEY, sums)
  assert.equal(readTrailer('another', sums, trailer), undefined)
  assert.equal(readTrailer(KEY, { bytes: sums.bytes - 1 }, trailer), undefined)
  for (const at of [8, 16, 20]) {
    const other = Buffer.from(trailer)
    other[at] += 1
    other.writeUInt32LE(crc32(other.subarray(0, 36), crc32(KEY)), 36)
    assert.equal(readTrailer(KEY, sums, other), undefined, `byte ${at}`)
  }
})
