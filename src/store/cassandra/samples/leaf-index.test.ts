import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/support/fast-check.ts'
import { DamagedBytes } from '../../embedded/chunk/index.ts'
import { packManifest, unpackManifest } from './leaf-index.ts'

const gen = fc.integer({ min: 0, max: 2 ** 52 })
const key = fc.record({ gen, place: fc.integer({ min: -1, max: 1e6 }) }).map((one) => ({ ...one }))
const entry = fc
  .record({
    key,
    start: fc.integer({ min: -3e12, max: 9e12 }),
    length: fc.integer({ min: 0, max: 1e12 }),
    count: fc.integer({ min: 1, max: 4_096 }),
    bytes: fc.integer({ min: 1, max: 1e7 }),
    summary: fc.uint8Array({ maxLength: 40 }),
  })
  .map(({ key, start, length, ...rest }) => ({ ...key, start, last: start + length, ...rest }))

const replacedChunk = fc
  .record({ key, atMs: fc.nat() })
  .map(({ key: ofRow, atMs }) => ({ ...ofRow, atMs }))

test('unpackManifest() gives what packManifest() was given, to its own stream only', () => {
  fc.assert(
    fc.property(fc.array(entry), fc.array(replacedChunk), (entries, replaced) => {
      const bytes = packManifest(7, { entries, replaced })
      assert.deepEqual(unpackManifest(7, bytes), { entries, replaced })
      assert.throws(() => unpackManifest(8, bytes), DamagedBytes)
      const at = entries.length % bytes.length
      bytes[at] ^= 1
      assert.throws(() => unpackManifest(7, bytes), DamagedBytes)
      assert.throws(() => unpackManifest(7, bytes.subarray(0, 3)), DamagedBytes)
    }),
  )
})
