import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { inflateSnappy, snappyLength } from './snappy.ts'

function varint(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80)
  return [...bytes, rest]
}

function block(length: number, ...elements: (readonly number[])[]): Buffer {
  return Buffer.from([...varint(length), ...elements.flat()])
}

function literal(text: string): number[] {
  return [(text.length - 1) << 2, ...Buffer.from(text)]
}

/** The element that copies `count` bytes from `offset` before, in each of its three forms. */
function copyElement(form: 1 | 2 | 3, count: number, offset: number): number[] {
  if (form === 1) return [1 | ((count - 4) << 2) | ((offset >> 8) << 5), offset & 0xff]
  const bytes = [offset & 0xff, (offset >> 8) & 0xff]
  return form === 2
    ? [2 | ((count - 1) << 2), ...bytes]
    : [3 | ((count - 1) << 2), ...bytes, (offset >> 16) & 0xff, 0]
}

test('inflateSnappy() inflates literals and copies that overlap themselves', async () => {
  assert.equal(String(await inflateSnappy(block(0))), '')
  assert.equal(String(await inflateSnappy(block(3, literal('abc')))), 'abc')
  const repeated = block(9, literal('abc'), copyElement(2, 6, 3))
  assert.equal(String(await inflateSnappy(repeated)), 'abcabcabc')
  const long = 'x'.repeat(70_000)
  const length = long.length - 1
  const longKey = [62 << 2, length & 0xff, (length >> 8) & 0xff, length >> 16]
  assert.equal(String(await inflateSnappy(block(70_000, longKey, [...Buffer.from(long)]))), long)
})

test('inflateSnappy() equals a simple model on random elements', async () => {
  const piece = fc.oneof(
    fc.record({ bytes: fc.uint8Array({ minLength: 1, maxLength: 60 }) }),
    fc.record({
      form: fc.constantFrom(1 as const, 2 as const, 3 as const),
      count: fc.integer({ min: 4, max: 64 }),
      back: fc.nat(),
    }),
  )
  const check = fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async (pieces) => {
    const expected: number[] = []
    const elements: number[][] = []
    for (const one of pieces) {
      if ('bytes' in one) {
        elements.push([(one.bytes.length - 1) << 2, ...one.bytes])
        expected.push(...one.bytes)
      } else if (expected.length > 0) {
        const count = one.form === 1 ? Math.min(one.count, 11) : one.count
        const offset = 1 + (one.back % Math.min(expected.length, one.form === 1 ? 2_047 : 65_535))
        elements.push(copyElement(one.form, count, offset))
        for (let left = count; left > 0; left--) expected.push(expected[expected.length - offset])
      }
    }
    assert.deepEqual([...(await inflateSnappy(block(expected.length, ...elements)))], expected)
  })
  await fc.assert(check, { numRuns: 300 })
})

test('inflateSnappy() refuses wrong lengths, references before the start, and truncated blocks', async () => {
  const refuses = (bytes: Buffer) => assert.rejects(inflateSnappy(bytes), /not a Snappy block/)
  await refuses(Buffer.alloc(0))
  await refuses(Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0x01]))
  await refuses(block(2, literal('abc')))
  await refuses(block(4, literal('abc')))
  await refuses(block(3, [2 << 2, 0x61]))
  await refuses(block(3, [61 << 2, 0x61]))
  await refuses(block(7, literal('abc'), copyElement(1, 4, 4)))
  await refuses(block(7, literal('abc'), copyElement(2, 4, 0)))
  await refuses(block(5, literal('abc'), copyElement(2, 4, 3)))
  await refuses(block(7, literal('abc'), [2]))
  await refuses(block(7, literal('abc'), [3, 1, 0, 0]))
})

test('snappyLength() is read before anything is inflated', () => {
  assert.equal(snappyLength(Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f])), 2 ** 32 - 1)
  assert.throws(() => snappyLength(Buffer.from([0xff, 0xff, 0xff, 0xff, 0x1f])), /no valid length/)
})

test('inflateSnappy() fails on random bytes only by refusing them', async () => {
  const check = fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
    // The first bytes declare a short length, so that elements are read.
    const body = Buffer.from([bytes.length % 128, ...bytes])
    try {
      assert.equal((await inflateSnappy(body)).length, body[0])
    } catch (error) {
      assert.match(String(error), /not a Snappy block/)
    }
  })
  await fc.assert(check, { numRuns: 2_000 })
})
