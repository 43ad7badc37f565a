import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  familyHeadOf,
  familyNumberOf,
  familyTailOf,
  headUidOf,
  isFamilyForm,
  isHeadUid,
  memberUidOf,
  ordinalOf,
} from './family-uid.ts'
import { newFamilyUid, newOrderedUid, newUid } from './ids.ts'

test('newFamilyUid() makes UIDs in order, from which those of members are counted', () => {
  const heads = Array.from({ length: 10_000 }, () => newFamilyUid())
  assert.deepEqual(heads.toSorted(), heads)
  for (const head of heads) {
    assert.ok(isHeadUid(head) && isFamilyForm(head), head)
    const number = familyNumberOf(head)
    assert.ok(number !== undefined && number > 0)
    assert.equal(familyHeadOf(number, familyTailOf(head)), head)
    for (const ordinal of [1, 255, 2 ** 24 - 1]) {
      const member = memberUidOf(head, ordinal)
      assert.ok(isFamilyForm(member) && !isHeadUid(member), member)
      assert.equal(ordinalOf(member), ordinal)
      assert.equal(headUidOf(member), head)
      assert.equal(familyNumberOf(member), number)
    }
  }
})

test('isFamilyForm() knows other UIDs', () => {
  for (const uid of [newUid(), newOrderedUid(), '', 'x'.repeat(36), newFamilyUid().toUpperCase()]) {
    assert.equal(isFamilyForm(uid) && uid !== uid.toUpperCase(), false, uid)
  }
})

test('familyNumberOf() tells none for times that a number cannot tell in order', () => {
  assert.equal(familyNumberOf('00000000-0000-8000-8000-000000000000'), undefined)
  assert.equal(familyNumberOf('ffffffff-ffff-8000-8000-000000000000'), undefined)
})
