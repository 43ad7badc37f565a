import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { newOrderedUid } from '../../base/index.ts'
import { UidColumn } from './uid-column.ts'

test('UidColumn finds the UUIDs it was given, and shows them as they were', () => {
  const column = new UidColumn()
  const uids = Array.from({ length: 3_000 }, (_, at) =>
    at % 2 === 0 ? randomUUID() : newOrderedUid(),
  )
  uids.forEach((uid, at) => {
    column.set(at + 1, uid)
  })
  uids.forEach((uid, at) => {
    assert.equal(column.find(uid), at + 1)
    assert.equal(column.find(uid, at), at + 1)
    assert.equal(column.textOf(at + 1), uid)
  })
})

test('UidColumn takes nothing for a UUID that is none, at whichever place', () => {
  const column = new UidColumn()
  const uid = '00000000-0000-0000-0000-000000000000'
  column.set(1, uid)
  for (let at = 0; at < uid.length; at += 1) {
    for (const other of ['g', '/', ':', '@', 'A', ' ', '-', '0', '\u0130', '\uff10', '\u0080']) {
      const text = uid.slice(0, at) + other + uid.slice(at + 1)
      if (text !== uid) assert.equal(column.find(text), 0, text)
    }
  }
  assert.equal(column.find(uid.slice(1)), 0)
  assert.throws(() => column.set(2, uid.replace('0', 'x')), /is no UUID/)
})

test('UidColumn tells no UUID that it has as beyond all of them, whatever was deleted', () => {
  const column = new UidColumn()
  const words = new Uint32Array(4)
  const uids = ['7', '3', 'f', '9'].map((digit) => randomUUID().replace(/^./, digit))
  uids.forEach((uid, at) => {
    column.set(at + 1, uid)
    for (let known = 1; known <= at + 1; known++) {
      column.copyWords(known, words)
      assert.equal(column.isBeyond(words), false)
    }
  })
  column.delete(3)
  column.copyWords(1, words)
  assert.equal(column.isBeyond(words), false)
  words.set([0xffff_ffff, 0xffff_ffff, 0, 0])
  assert.equal(column.isBeyond(words), true)
})
