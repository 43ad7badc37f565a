import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  familyHeadOf,
  familyNumberOf,
  familyTailOf,
  familyTimeOf,
  familyUidOf,
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

test('familyTimeOf() keeps times that have numbers, and moves others among them in their order', () => {
  const first = Date.UTC(2020, 0, 1) + 1
  const end = Date.UTC(2020, 0, 1) + 2 ** 41
  for (const ms of [first, Date.UTC(2026, 5, 1), end - 1]) assert.equal(familyTimeOf(ms), ms)
  for (const ms of [0, 20_000, Date.UTC(2016, 1, 11), end + 1, Date.UTC(2095, 0, 1)]) {
    assert.equal(familyTimeOf(ms + 1) - familyTimeOf(ms), 1, `${ms}`)
  }
  const early = [-8.64e15, -1, 0, 20_000, Date.UTC(2016, 1, 11), first - 1]
  for (const ms of [...early, end, Date.UTC(2095, 0, 1), 8.64e15]) {
    const moved = familyTimeOf(ms)
    assert.ok(Number.isInteger(moved) && moved >= first && moved < end, `${ms}: ${moved}`)
    const digits = (moved * 4_096).toString(16).padStart(15, '0')
    const uid = familyUidOf(digits, '8000-000000000000')
    const number = familyNumberOf(uid)
    assert.ok(number !== undefined && number > 0, uid)
    assert.equal(familyHeadOf(number, familyTailOf(uid)), uid)
  }
})
