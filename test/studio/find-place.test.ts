import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { findPlace } from '../../studio/src/pages/explore/find-place.ts'

test('findPlace() finds each component with few reads, among equal and odd names too', async () => {
  const names = Array.from({ length: 5_000 }, (_, at) =>
    at % 7 === 0 ? 'same' : `${String.fromCodePoint(randomInt(0x20, 0x10ffff))}${at}`,
  ).map((name) => name.toWellFormed())
  const sorted = names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  const all = sorted.map((name, at) => ({ uid: `u${at}`, id: '', name, folder: '' }))
  let readsMax = 0
  for (let at = 0; at < all.length; at += 13) {
    let reads = 0
    const read = async (page: number) => {
      reads += 1
      return { components: all.slice(page * 100, page * 100 + 100), totalCount: all.length }
    }
    const { uid, name } = all[at]
    assert.equal(await findPlace({ uid, name, pageSize: 100, read }), at, JSON.stringify(name))
    readsMax = Math.max(readsMax, reads)
  }
  assert.ok(readsMax <= 20, `${readsMax} reads`)
  const read = async () => ({ components: [], totalCount: 0 })
  assert.equal(await findPlace({ uid: 'x', name: 'x', pageSize: 100, read }), undefined)
})
