import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { roundsOf } from '../../../test/support/random.ts'
import { countedUidOf, newComponentUid, readUid } from '../../base/index.ts'
import type { ScannedComponents, ScannedStreams, StreamHandle } from '../../store/index.ts'
import { StreamIndex } from './stream-index.ts'

const ORG = 'org'

type IndexedStream = Parameters<StreamIndex['putStream']>[0]
type Entry = Omit<IndexedStream, 'uid' | 'componentUid' | 'handle' | 'revision'>

function entryOf(more: Partial<Entry> = {}): Entry {
  return {
    id: '',
    order: 0,
    streamKind: 0,
    valueCode: 1,
    isDerived: false,
    hasDeleteProfile: false,
    grid: '',
    ...more,
  }
}

function putComponent(index: StreamIndex, id: string, uid: string = randomUUID(), orgUid = ORG) {
  index.putComponent({ orgUid, uid, revision: 0, id, timeZone: 'UTC' })
  return uid
}

function putStream(
  index: StreamIndex,
  of: { readonly uid: string; readonly componentUid: string; readonly handle: number },
  entry: Entry,
): void {
  index.putStream({ ...of, ...entry, handle: of.handle as StreamHandle, revision: 0 })
}

test('resolveComponent() and resolveStream() keep to their scope and know no blank ID', () => {
  const index = new StreamIndex()
  const a = putComponent(index, 'a')
  const b = putComponent(index, 'b')
  const blank = putComponent(index, '')
  const other = putComponent(index, 'a', randomUUID(), 'other')
  const place = (componentUid: string, handle: number, id: string) =>
    putStream(index, { uid: randomUUID(), componentUid, handle }, entryOf({ id }))
  place(a, 1, 's')
  place(b, 2, 's')
  place(other, 3, 's')
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
  const stream = { uid: randomUUID(), componentUid: uid, handle: 1 }
  const check = (name: string, moves: boolean, edit: () => void) => {
    const before = index.generation
    edit()
    assert.equal(index.generation !== before, moves, name)
  }
  check('new stream', false, () => putStream(index, stream, entryOf({ id: 's' })))
  check('new type', false, () => putStream(index, stream, entryOf({ id: 's', valueCode: 7 })))
  check('renamed stream', true, () => putStream(index, stream, entryOf({ id: 't' })))
  check('renamed component', true, () => putComponent(index, 'b', uid))
  check('same component', false, () => putComponent(index, 'b', uid))
  check('deleted stream', true, () => index.deleteStream(stream.uid))
  check('deleted component', true, () => index.deleteComponent(uid))
})

test('movedSince() returns the streams whose IDs may be others since', () => {
  const index = new StreamIndex()
  const [first, second] = [putComponent(index, 'a'), putComponent(index, 'b')]
  const streams = [first, first, second].map((componentUid, at) => ({
    uid: randomUUID(),
    componentUid,
    handle: at + 1,
  }))
  for (const stream of streams) putStream(index, stream, entryOf({ id: `s${stream.handle}` }))
  const movedSince = (generation: number) => [1, 2, 3].filter(index.movedSince(generation))
  const before = index.generation
  assert.deepEqual(movedSince(before), [])
  putStream(index, streams[0], entryOf({ id: 'renamed' }))
  assert.deepEqual(movedSince(before), [1])
  const between = index.generation
  putComponent(index, 'c', second)
  assert.deepEqual(movedSince(before), [1, 3])
  assert.deepEqual(movedSince(between), [3])
  assert.deepEqual(movedSince(index.generation), [])
})

test('an edit that is older than what is known changes nothing', () => {
  const index = new StreamIndex()
  const uid = randomUUID()
  index.putComponent({ orgUid: ORG, uid, revision: 3, id: 'new', timeZone: 'UTC' })
  index.putComponent({ orgUid: ORG, uid, revision: 2, id: 'old', timeZone: 'UTC' })
  assert.equal(index.resolveComponent(ORG, 'new')?.uid, uid)
  assert.equal(index.resolveComponent(ORG, 'old'), undefined)
})

interface ModelStream {
  readonly uid: string
  readonly component: number
  readonly entry: Entry
}

/** More than a component may have without a table. */
const IDS = [...'abcdefghijklmnopqrstuvwx']

const stepOf = fc.oneof(
  {
    weight: 60,
    arbitrary: fc.record({
      op: fc.constant('stream' as const),
      slot: fc.nat(47),
      component: fc.nat(1),
      id: fc.constantFrom('', ...IDS),
      order: fc.nat(5),
      valueCode: fc.nat(13),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ op: fc.constant('deleteStream' as const), slot: fc.nat(47) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      op: fc.constant('find' as const),
      component: fc.nat(1),
      id: fc.constantFrom(...IDS),
    }),
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
      } else if (step.op === 'find') {
        const uid = components.get(step.component)?.uid
        const entry = uid === undefined ? undefined : index.componentByUid(ORG, uid)
        if (entry === undefined) continue
        const isHolder = ([, one]: [number, ModelStream]) =>
          one.component === step.component && one.entry.id === step.id
        assert.equal(index.resolveStream(entry, step.id), [...streams].find(isHolder)?.[0] ?? 0)
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
          (one) => one !== old && one.component === step.component && one.entry.id === step.id,
        )
        if (isTaken && step.id !== '') continue
        const handle = old === undefined ? nextHandle++ : (handleOfSlot.get(step.slot) ?? 0)
        const uid = old?.uid ?? randomUUID()
        const entry = entryOf({ id: step.id, order: step.order, valueCode: step.valueCode })
        handleOfSlot.set(step.slot, handle)
        streams.set(handle, { uid, component: step.component, entry })
        putStream(index, { uid, componentUid: parent.uid, handle }, entry)
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
      const holder = own.find(([, one]) => one.entry.id === id)?.[0] ?? 0
      assert.equal(index.resolveStream(entry, id), holder)
    }
  }
  for (const [handle, { uid, entry }] of streams) {
    assert.ok(index.has(handle))
    assert.equal(index.streamUid(handle), uid)
    assert.equal(index.streamByUid(ORG, uid), handle)
    assert.equal(index.valueCodeOf(handle), entry.valueCode)
    assert.equal(index.streamIdOf(handle), entry.id)
  }
}

test('receiver() and addStream() take in the same as putComponent() and putStream()', () => {
  const definition = entryOf({ valueCode: 3, streamKind: 1, grid: '{}', hasDeleteProfile: true })
  const uids = [newComponentUid(), randomUUID(), newComponentUid()]
  const words = new Uint32Array(12)
  uids.forEach((uid, at) => {
    readUid(uid, words.subarray(at * 4, at * 4 + 4))
  })
  const components: ScannedComponents = {
    refs: [70_000, 3, 4],
    orgUids: [ORG, ORG, 'other'],
    uidWords: words,
    ids: ['a', '', 'a'],
    timeZones: ['UTC', 'Europe/Berlin', 'UTC'],
  }
  const ownUid = randomUUID()
  const streamCount = 40
  const streams: ScannedStreams = {
    componentRefs: [...Array(streamCount).fill(70_000), 3, 4, 5],
    ordinals: [
      ...Array(streamCount)
        .keys()
        .map((at) => at + 1),
      0,
      9,
      1,
    ],
    uids: new Map([[streamCount, ownUid]]),
    handles: [
      ...Array(streamCount)
        .keys()
        .map((at) => at + 1),
      90,
      91,
      92,
    ],
    ids: [
      ...Array(streamCount)
        .keys()
        .map((at) => `s${at}`),
      'own',
      's0',
      'left out',
    ],
    orders: [
      ...Array(streamCount)
        .keys()
        .map((at) => at),
      0,
      0,
      0,
    ],
    definitions: Array(streamCount + 3).fill(definition),
  }
  const loaded = new StreamIndex()
  const receiver = loaded.receiver()
  receiver.onCount({ components: 3, streams: streamCount })
  receiver.onComponents(components)
  receiver.onStreams(streams)
  loaded.settle()
  const created = new StreamIndex()
  const component = created.addComponent({ orgUid: ORG, uid: uids[0], timeZone: 'UTC' }, 'a')
  for (let handle = 1; handle <= streamCount; handle++) {
    created.addStream({ handle, component, ordinal: handle }, `s${handle - 1}`, definition)
  }
  for (const index of [loaded, created]) {
    const entry = index.componentByUid(ORG, uids[0])
    assert.deepEqual(entry?.streams, [
      ...Array(streamCount)
        .keys()
        .map((at) => at + 1),
    ])
    assert.equal(entry?.lastOrdinal, streamCount)
    assert.equal(index.resolve(ORG, 'a', 's39'), 40)
    assert.equal(index.streamUid(7), countedUidOf(uids[0], 7))
    assert.equal(index.streamByUid(ORG, countedUidOf(uids[0], 7)), 7)
    assert.deepEqual([index.kindOf(7), index.valueCodeOf(7), index.gridOf(7)], [1, 3, '{}'])
    assert.deepEqual([...index.handlesWithDeleteProfile()].length, index.streamCount)
  }
  assert.deepEqual([loaded.componentCount, loaded.streamCount], [3, streamCount + 2])
  assert.equal(loaded.streamByUid(ORG, ownUid), 90)
  assert.equal(loaded.componentOf(90).timeZone, 'Europe/Berlin')
  assert.equal(loaded.resolve('other', 'a', 's0'), 91)
  assert.equal(loaded.streamUid(91), countedUidOf(uids[2], 9))
})
