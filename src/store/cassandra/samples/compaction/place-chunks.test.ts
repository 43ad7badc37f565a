import assert from 'node:assert/strict'
import { test } from 'node:test'
import { partLeaf } from './place-chunks.ts'

const summary = new Uint8Array(0)

function chunks(count: number, bytes: number, isKept: (at: number) => boolean) {
  return Array.from({ length: count }, (_, at) => {
    const place = { start: at * 10, last: at * 10 + 5, count: 2, bytes, summary }
    return isKept(at) ? { ...place, kept: { ...place, gen: 1, place: at } } : place
  })
}

test('partLeaf() leaves chunks where they are, and parts only what is too many or too large', () => {
  const f = (count: number, bytes: number, isKept: (at: number) => boolean, want: number[]) =>
    assert.deepEqual(
      partLeaf(chunks(count, bytes, isKept)).map((leaf) => leaf.length),
      want,
    )
  const all = () => true
  f(0, 0, all, [0])
  f(128, 4_000, all, [128])
  f(130, 4_000, (at) => at < 128, [128, 2])
  f(300, 4_000, () => false, [128, 128, 44])
  f(130, 4_000, (at) => at !== 7, [65, 65])
  f(20, 1_000_000, () => false, [16, 4])
  f(20, 1_000_000, all, [10, 10])
  f(3, 20_000_000, all, [1, 1, 1])
})
