import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  componentUidOf,
  countedUidOf,
  countsStreams,
  isCountedForm,
  ordinalOf,
} from './counted-uid.ts'
import { newComponentUid, newOrderedUid, newUid } from './ids.ts'

test('newComponentUid() makes UIDs in order, from which those of streams are counted', () => {
  const uids = Array.from({ length: 10_000 }, () => newComponentUid())
  assert.deepEqual(uids.toSorted(), uids)
  assert.equal(new Set(uids).size, uids.length)
  for (const uid of uids) {
    assert.ok(countsStreams(uid) && isCountedForm(uid), uid)
    for (const ordinal of [1, 255, 2 ** 24 - 1]) {
      const counted = countedUidOf(uid, ordinal)
      assert.ok(isCountedForm(counted) && !countsStreams(counted), counted)
      assert.equal(ordinalOf(counted), ordinal)
      assert.equal(componentUidOf(counted), uid)
    }
  }
})

test('isCountedForm() knows other UIDs', () => {
  const others = [newUid(), newOrderedUid(), '', 'x'.repeat(36)]
  for (const uid of [...others, newComponentUid().replace('-8', '-7').toUpperCase()]) {
    assert.equal(isCountedForm(uid), false, uid)
  }
})
