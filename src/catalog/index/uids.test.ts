import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { countedUidOf, newComponentUid, newOrderedUid, newUid } from '../../base/index.ts'
import { StreamUids, UidColumn } from './uids.ts'

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
    assert.equal(column.findUnlessNew(uid), at + 1)
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

test('findUnlessNew() finds every UUID that it has, whatever was deleted', () => {
  const column = new UidColumn()
  const uids = ['7', '3', 'f', '9'].map((digit) => randomUUID().replace(/^./, digit))
  uids.forEach((uid, at) => {
    column.set(at + 1, uid)
    for (let known = 0; known <= at; known++) {
      assert.equal(column.findUnlessNew(uids[known]), known + 1)
    }
  })
  column.delete(3)
  assert.equal(column.findUnlessNew(uids[0]), 1)
  assert.equal(column.findUnlessNew(uids[2]), 0)
  assert.equal(column.findUnlessNew('ffffffff-ffff-ffff-ffff-ffffffffffff'), 0)
})

const COMPONENTS = [
  newComponentUid(),
  newComponentUid(),
  newUid(),
  `${newUid().slice(0, 30)}000000`,
]

/** A stream of a component with a UID counted from that of one of the four, or with its own. */
const step = fc.record({
  op: fc.constantFrom('set', 'set', 'delete', 'forget'),
  handle: fc.integer({ min: 1, max: 40 }),
  component: fc.nat(3),
  of: fc.nat(4),
  ordinal: fc.integer({ min: 1, max: 12 }),
})

test('StreamUids finds streams by their UIDs, counted or not, and shows them', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const components = new UidColumn()
      COMPONENTS.forEach((uid, at) => {
        components.set(at + 1, uid)
      })
      const streams = new Map<number, { component: number; uid: string }>()
      const uids = new StreamUids(components, (handle) => streams.get(handle)?.component ?? 0)
      for (const { op, handle, component, of, ordinal } of steps) {
        const known = streams.get(handle)
        if (op === 'forget') {
          const isEmpty = [...streams.values()].every((one) => one.component !== component + 1)
          if (isEmpty) uids.forget(component + 1)
        } else if (op === 'delete' && known !== undefined) {
          uids.delete(handle, known.component)
          streams.delete(handle)
        } else if (op === 'set' && known === undefined) {
          const uid = of === 4 ? newUid() : countedUidOf(COMPONENTS[of], ordinal)
          if ([...streams.values()].some((one) => one.uid === uid)) continue
          uids.set(handle, component + 1, uid)
          streams.set(handle, { component: component + 1, uid })
        }
      }
      for (let handle = 1; handle <= 40; handle++) {
        const uid = streams.get(handle)?.uid
        if (uid === undefined) continue
        assert.equal(uids.textOf(handle), uid)
        assert.equal(uids.find(uid), handle)
      }
      for (const componentUid of COMPONENTS) {
        for (let ordinal = 1; ordinal <= 12; ordinal++) {
          const uid = countedUidOf(componentUid, ordinal)
          const holder = [...streams].find(([, one]) => one.uid === uid)?.[0] ?? 0
          assert.equal(uids.find(uid), holder)
        }
      }
      const sorted = [...streams].sort(([, a], [, b]) => (a.uid < b.uid ? -1 : 1))
      const handles = sorted.map(([handle]) => handle)
      assert.deepEqual(
        [...handles].reverse().sort((a, b) => uids.compare(a, b)),
        handles,
      )
    }),
  )
})

test('ordinalOf() returns the distance of a UID from that of its own component', () => {
  const components = new UidColumn()
  components.set(1, COMPONENTS[0])
  components.set(2, COMPONENTS[1])
  const uids = new StreamUids(components, () => 1)
  uids.set(1, 1, countedUidOf(COMPONENTS[0], 7))
  uids.set(2, 1, countedUidOf(COMPONENTS[1], 8))
  uids.set(3, 1, newUid())
  assert.deepEqual(
    [1, 2, 3].map((handle) => uids.ordinalOf(handle)),
    [7, 0, 0],
  )
  assert.throws(() => uids.set(4, 1, 'no uid'), /is no UUID/)
})
