import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countedUidOf, newComponentUid, newOrderedUid } from '../../base/index.ts'
import { isReserved, streamUidsFor } from './stream-uids.ts'

test('a component passes over UIDs of its own form that other streams were given before', () => {
  const uid = newComponentUid()
  const taken = new Set([3, 4, 6].map((ordinal) => countedUidOf(uid, ordinal)))
  const next = streamUidsFor(uid, 2, { hasLivingUid: (one) => taken.has(one) })
  assert.deepEqual(
    [next(), next(), next()],
    [5, 7, 8].map((ordinal) => countedUidOf(uid, ordinal)),
  )
})

test('UIDs are reserved for the component that counts up to them, while it is there', () => {
  const [uid, other, gone] = [newComponentUid(), newComponentUid(), newComponentUid()]
  const own = { uid, lastOrdinal: 2 }
  const index = { hasUid: (one: string) => one === uid || one === other }
  const reserved = (one: string) => isReserved(one, own, index)
  assert.deepEqual(
    [0, 1, 2, 3].map((ordinal) => reserved(countedUidOf(uid, ordinal))),
    [true, false, false, true],
  )
  assert.deepEqual(
    [0, 1, 2].map((ordinal) => reserved(countedUidOf(other, ordinal))),
    [true, true, true],
  )
  assert.equal(reserved(countedUidOf(gone, 1)), false)
  assert.equal(reserved(newOrderedUid()), false)
})
