import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { memberUidOf, newFamilyUid, newUid } from '../../base/index.ts'
import { MemberUids } from './member-uids.ts'
import { UidColumn } from './uid-column.ts'

const HEADS = [newFamilyUid(), newFamilyUid(), newUid(), `${newUid().slice(0, 30)}000000`]

/** A stream of a component with a UID counted from that of one of the four, or with its own. */
const step = fc.record({
  ...{
    op: fc.constantFrom('set', 'set', 'delete', 'forget'),
    handle: fc.integer({ min: 1, max: 40 }),
  },
  ...{ component: fc.nat(3), of: fc.nat(4), ordinal: fc.integer({ min: 1, max: 12 }) },
})

test('MemberUids finds streams by their UIDs, counted or not, and shows them', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const heads = new UidColumn()
      HEADS.forEach((uid, at) => {
        heads.set(at + 1, uid)
      })
      const streams = new Map<number, { component: number; uid: string }>()
      const uids = new MemberUids(heads, (handle) => streams.get(handle)?.component ?? 0)
      for (const { op, handle, component, of, ordinal } of steps) {
        const known = streams.get(handle)
        if (op === 'forget') {
          const isEmpty = [...streams.values()].every((one) => one.component !== component + 1)
          if (isEmpty) uids.forget(component + 1)
        } else if (op === 'delete' && known !== undefined) {
          uids.delete(handle, known.component)
          streams.delete(handle)
        } else if (op === 'set' && known === undefined) {
          const uid = of === 4 ? newUid() : memberUidOf(HEADS[of], ordinal)
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
      for (const head of HEADS) {
        for (let ordinal = 1; ordinal <= 12; ordinal++) {
          const uid = memberUidOf(head, ordinal)
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

test('ordinalOf() tells what a UID counts from that of its own component', () => {
  const heads = new UidColumn()
  heads.set(1, HEADS[0])
  heads.set(2, HEADS[1])
  const uids = new MemberUids(heads, () => 1)
  uids.set(1, 1, memberUidOf(HEADS[0], 7))
  uids.set(2, 1, memberUidOf(HEADS[1], 8))
  uids.set(3, 1, newUid())
  assert.deepEqual(
    [1, 2, 3].map((handle) => uids.ordinalOf(handle)),
    [7, 0, 0],
  )
  assert.throws(() => uids.set(4, 1, 'no uid'), /is no UUID/)
})
