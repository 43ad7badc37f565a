import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { anyCharacter, fc } from '../../../test/support/fast-check.ts'
import { roundsOf } from '../../../test/support/random.ts'
import type { StreamIndexEntry } from './index-entry.ts'
import { packComponent, packStream, unpackComponent, unpackStream } from './index-entry.ts'
import { StreamIndex } from './stream-index.ts'

const ORG = 'org'

function entryOf(more: Partial<StreamIndexEntry> = {}): StreamIndexEntry {
  const plain = { streamId: '', kind: 0, valueCode: 1, isDerived: false, hasDeleteProfile: false }
  return { ...plain, order: 0, grid: '', ...more } as StreamIndexEntry
}

function putComponent(
  index: StreamIndex,
  compId: string,
  uid: string = randomUUID(),
  orgUid = ORG,
) {
  index.putComponent({ orgUid, uid, revision: 0 }, { compId, timeZone: 'UTC' })
  return uid
}

test('packStream() and packComponent() are undone, whatever the ID holds', () => {
  const id = fc.string({ unit: anyCharacter })
  const stream = fc.record({
    ...{ streamId: id, kind: fc.constantFrom(0, 1, 2), valueCode: fc.nat(13) },
    ...{ isDerived: fc.boolean(), hasDeleteProfile: fc.boolean(), order: fc.nat() },
    grid: fc.constantFrom('', '{"sizeType":"HOUR"}'),
  })
  fc.assert(
    fc.property(stream, id, (entry, compId) => {
      assert.deepEqual(unpackStream(packStream(entry as StreamIndexEntry)), { ...entry })
      const component = { compId, timeZone: 'Europe/Berlin' }
      assert.deepEqual(unpackComponent(packComponent(component)), component)
    }),
  )
})

test('resolveComponent() and resolveStream() keep to their scope and know no blank ID', () => {
  const index = new StreamIndex()
  const a = putComponent(index, 'a')
  const b = putComponent(index, 'b')
  const blank = putComponent(index, '')
  const other = putComponent(index, 'a', randomUUID(), 'other')
  const place = (parentUid: string, handle: number, streamId: string, orgUid = ORG) =>
    index.putStream(
      { orgUid, uid: randomUUID(), parentUid, handle, revision: 0 },
      entryOf({ streamId }),
    )
  place(a, 1, 's')
  place(b, 2, 's')
  place(other, 3, 's', 'other')
  place(blank, 4, '')
  assert.equal(index.resolve(ORG, 'a', 's'), 1)
  assert.equal(index.resolve(ORG, 'b', 's'), 2)
  assert.equal(index.resolve('other', 'a', 's'), 3)
  assert.equal(index.resolve('other', 'b', 's'), 0)
  assert.equal(index.resolve(ORG, 'a', ''), 0)
  assert.equal(index.resolveComponent(ORG, ''), undefined)
  assert.equal(index.resolveComponent('nobody', 'a'), undefined)
  const entry = index.componentByUid(ORG, blank)
  assert.deepEqual(entry?.streams, [4])
  assert.equal(index.componentByUid('other', blank), undefined)
  assert.equal(index.streamByUid('other', index.streamUid(4)), 0)
  assert.equal(index.streamByUid(ORG, index.streamUid(4)), 4)
  assert.equal(index.componentOf(3).uid, other)
})

test('generation moves exactly when an ID may mean another stream', () => {
  const index = new StreamIndex()
  const uid = putComponent(index, 'a')
  const stream = { orgUid: ORG, uid: randomUUID(), parentUid: uid, handle: 1, revision: 0 }
  const check = (name: string, moves: boolean, edit: () => void) => {
    const before = index.generation
    edit()
    assert.equal(index.generation !== before, moves, name)
  }
  check('new stream', false, () => index.putStream(stream, entryOf({ streamId: 's' })))
  check('new type', false, () => index.putStream(stream, entryOf({ streamId: 's', valueCode: 7 })))
  check('renamed stream', true, () => index.putStream(stream, entryOf({ streamId: 't' })))
  check('renamed component', true, () => putComponent(index, 'b', uid))
  check('same component', false, () => putComponent(index, 'b', uid))
  check('deleted stream', true, () => index.deleteStream(stream.uid))
  check('deleted component', true, () => index.deleteComponent(uid))
})

test('an edit that is older than what is known changes nothing', () => {
  const index = new StreamIndex()
  const uid = randomUUID()
  index.putComponent({ orgUid: ORG, uid, revision: 3 }, { compId: 'new', timeZone: 'UTC' })
  index.putComponent({ orgUid: ORG, uid, revision: 2 }, { compId: 'old', timeZone: 'UTC' })
  assert.equal(index.resolveComponent(ORG, 'new')?.uid, uid)
  assert.equal(index.resolveComponent(ORG, 'old'), undefined)
})

interface ModelStream {
  readonly uid: string
  readonly component: number
  readonly entry: StreamIndexEntry
}

/** More than a component may have without a table. */
const IDS = [...'abcdefghijklmnopqrstuvwx']

const stepOf = fc.oneof(
  {
    weight: 16,
    arbitrary: fc.record({
      ...{ op: fc.constant('stream' as const), slot: fc.nat(47), component: fc.nat(1) },
      ...{ id: fc.constantFrom('', ...IDS), order: fc.nat(5), valueCode: fc.nat(13) },
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ op: fc.constant('deleteStream' as const), slot: fc.nat(47) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant('component' as const),
      component: fc.nat(1),
      id: fc.nat(2),
    }),
  },
  fc.record({ op: fc.constant('deleteComponent' as const), component: fc.nat(1) }),
)

test('StreamIndex behaves as plain maps do, over random edits', () => {
  const scenario = fc.property(fc.array(stepOf, { maxLength: 200, size: 'max' }), (steps) => {
    const index = new StreamIndex()
    const components = new Map<number, { uid: string; compId: string }>()
    const streams = new Map<number, ModelStream>()
    const handleOfSlot = new Map<number, number>()
    let nextHandle = 1
    for (const step of steps) {
      if (step.op === 'component') {
        const uid = components.get(step.component)?.uid ?? randomUUID()
        const compId = step.id === 0 ? '' : `c${step.component}-${step.id}`
        components.set(step.component, { uid, compId })
        putComponent(index, compId, uid)
      } else if (step.op === 'deleteComponent') {
        const uid = components.get(step.component)?.uid
        if (uid !== undefined) index.deleteComponent(uid)
        components.delete(step.component)
        for (const [handle, one] of streams) {
          if (one.component === step.component) streams.delete(handle)
        }
      } else if (step.op === 'deleteStream') {
        const handle = handleOfSlot.get(step.slot) ?? 0
        const known = streams.get(handle)
        if (known !== undefined) index.deleteStream(known.uid)
        streams.delete(handle)
        handleOfSlot.delete(step.slot)
      } else {
        const parent = components.get(step.component)
        if (parent === undefined) continue
        const old = streams.get(handleOfSlot.get(step.slot) ?? 0)
        if (old !== undefined && old.component !== step.component) continue
        const isTaken = [...streams.values()].some(
          (one) =>
            one !== old && one.component === step.component && one.entry.streamId === step.id,
        )
        if (isTaken && step.id !== '') continue
        const handle = old === undefined ? nextHandle++ : (handleOfSlot.get(step.slot) ?? 0)
        const uid = old?.uid ?? randomUUID()
        const entry = entryOf({ streamId: step.id, order: step.order, valueCode: step.valueCode })
        handleOfSlot.set(step.slot, handle)
        streams.set(handle, { uid, component: step.component, entry })
        index.putStream({ orgUid: ORG, uid, parentUid: parent.uid, handle, revision: 0 }, entry)
      }
    }
    assertSame(index, components, streams)
  })
  fc.assert(scenario, { numRuns: roundsOf(300) })
})

function assertSame(
  index: StreamIndex,
  components: ReadonlyMap<number, { uid: string; compId: string }>,
  streams: ReadonlyMap<number, ModelStream>,
): void {
  assert.equal(index.componentCount, components.size)
  assert.equal(index.streamCount, streams.size)
  for (const [number, { uid, compId }] of components) {
    const entry = index.componentByUid(ORG, uid)
    assert.ok(entry !== undefined)
    assert.equal(entry.compId, compId)
    if (compId !== '') assert.equal(index.resolveComponent(ORG, compId)?.uid, uid)
    const own = [...streams].filter(([, one]) => one.component === number)
    const sorted = own.sort(
      ([, a], [, b]) => a.entry.order - b.entry.order || (a.uid < b.uid ? -1 : 1),
    )
    assert.deepEqual(
      entry.streams,
      sorted.map(([handle]) => handle),
    )
    assert.equal(entry.streamCount, own.length)
    for (const id of IDS) {
      const holder = own.find(([, one]) => one.entry.streamId === id)?.[0] ?? 0
      assert.equal(index.resolveStream(entry, id), holder)
    }
  }
  for (const [handle, { uid, entry }] of streams) {
    assert.ok(index.has(handle))
    assert.equal(index.streamUid(handle), uid)
    assert.equal(index.streamByUid(ORG, uid), handle)
    assert.equal(index.valueCodeOf(handle), entry.valueCode)
    assert.equal(index.streamIdOf(handle), entry.streamId)
  }
}
