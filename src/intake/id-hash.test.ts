import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/support/fast-check.ts'
import { roundsOf, testSeeds } from '../../test/support/random.ts'
import { hashOfId, ID_BYTES_MAX, IdScan } from './id-hash.ts'
import { endOfUnescapedId } from './json/sample-bytes.ts'

const [seed] = testSeeds(1)

function check(bytes: Buffer, from: number): void {
  const scan = new IdScan()
  const end = scan.scan(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), from)
  const expected = endOfUnescapedId(bytes, from)
  // Words are loaded as a whole: the last bytes of a body are for others.
  const isNearEnd = end < 0 && expected + 4 > bytes.length
  assert.ok(end === expected || isNearEnd, `seed ${seed}: ${end} instead of ${expected}`)
  if (end >= 0) assert.equal(scan.hash, hashOfId(bytes, from, end), `seed ${seed}`)
}

test('IdScan finds the end of IDs, and hashes them as hashOfId() does', () => {
  const byte = fc.oneof(
    { weight: 12, arbitrary: fc.integer({ min: 0x23, max: 0x5b }) },
    { weight: 1, arbitrary: fc.constantFrom(0x22, 0x5c, 0x1f, 0x20, 0x21, 0x00, 0x7f) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 255 }) },
  )
  const property = fc.property(
    fc.array(byte, { maxLength: 40 }),
    fc.nat(8),
    fc.nat(8),
    (id, before, behind) => {
      const bytes = Buffer.from([...new Array(before).fill(0x22), ...id, 0x22])
      check(Buffer.concat([bytes, Buffer.alloc(behind, 0x2c)]), before)
    },
  )
  fc.assert(property, { seed, numRuns: roundsOf(5_000) })
})

test('IdScan leaves IDs that are too long, and bodies that end in one, to others', () => {
  const scan = new IdScan()
  const lengths = [ID_BYTES_MAX - 1, ID_BYTES_MAX, ID_BYTES_MAX + 1, ID_BYTES_MAX + 9]
  for (const length of lengths) check(Buffer.from(`${'i'.repeat(length)}",,,,`), 0)
  for (const text of ['', 'a', '"', 'ab"', 'abcd', 'abcdefg']) {
    const bytes = new Uint8Array(Buffer.from(text))
    assert.equal(scan.scan(new DataView(bytes.buffer), 0), -1, text)
  }
})
