import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countedUidOf, refuse } from '../../../src/base/index.ts'
import { VALUE_CODE } from '../../../src/catalog/shape/index.ts'
import { sizeRecord } from '../../../src/store/embedded/journal/record.ts'
import type { SampleBatch } from '../../../src/store/index.ts'
import { keyWith, openFeedHome } from '../../support/feed-home.ts'

const body = [
  { compId: 'fresh', streamId: 'a', time: 1_000, data: 1 },
  { compId: 'fresh', streamId: 'b', time: 1_000, data: 2 },
]

test('a put that ends between the catalog and the journal leaves at most empty streams, and can be repeated', async (t) => {
  const home = await openFeedHome()
  t.after(() => home.close())
  const append = home.store.append.bind(home.store)
  home.store.append = () => Promise.reject(new Error('the journal is gone'))
  await assert.rejects(home.putJson(body), /the journal is gone/)
  const another = await home.openAnother()
  const component = another.index.resolveComponent('o', 'fresh')
  assert.ok(component !== undefined)
  assert.equal(component.streamCount, 2)
  assert.equal(home.landed.length, 0)
  home.store.append = append
  await home.putJson(body)
  const again = await home.openAnother()
  assert.deepEqual(again.index.resolveComponent('o', 'fresh')?.streams, component.streams)
  assert.deepEqual(
    home.landed.map(({ count, handles }) => [...handles.slice(0, count)]),
    [[...component.streams]],
  )
})

test('a put whose texts the store has no room for creates nothing', async (t) => {
  const home = await openFeedHome()
  t.after(() => home.close())
  const roomBytes = 10_000
  let held = 0
  const keepRoom = (bytes: number) => {
    if (bytes > roomBytes) refuse('read_only', { what: 'Cannot store', retryAfterSeconds: 5 })
    held += 1
    return { release: () => (held -= 1) }
  }
  Object.assign(home.store, { keepRoom })
  // A Greek letter takes two bytes, and a Chinese one three.
  for (const data of [
    'a'.repeat(roomBytes),
    'ω'.repeat(roomBytes / 2),
    '水'.repeat(roomBytes / 3),
  ]) {
    const text = { compId: 'wordy', streamId: 'a', time: 1_000, data }
    await assert.rejects(home.putJson([...body, text]), { code: 'read_only' })
  }
  assert.equal(home.catalog.index.resolveComponent('o', 'wordy'), undefined)
  assert.equal(home.catalog.index.resolveComponent('o', 'fresh'), undefined)
  await home.putJson(body)
  Object.assign(home.store, {
    append: async (_batch: unknown, room: unknown) => {
      assert.ok(held === 1 && room !== undefined, 'room is held until the samples are in')
      refuse('read_only', { what: 'Cannot store', retryAfterSeconds: 5 })
    },
  })
  await assert.rejects(home.putJson([{ ...body[0], compId: 'late' }]), { code: 'read_only' })
  assert.equal(held, 0, 'room is let go whatever comes of a put')
})

test('the room that is asked for is at least what samples take in the journal', async (t) => {
  const home = await openFeedHome()
  t.after(() => home.close())
  const stream = [{ id: 's', valueType: 'STRING' as const }]
  await home.catalog.templates.insert(keyWith(['*', 'PUT']), { id: 'worded', stream })
  let [asked, count] = [0, 0]
  const keepRoom = (bytes: number) => {
    asked = bytes
    return { release: () => {} }
  }
  const append = home.store.append.bind(home.store)
  const measured = async (batch: SampleBatch) => {
    const { bytes } = sizeRecord({ kind: 'samples', batch })
    assert.ok(bytes <= asked, `${bytes} of ${asked}`)
    count += 1
    await append(batch)
  }
  Object.assign(home.store, { keepRoom, append: measured })
  const values = [1, -1.25e-300, Math.PI * -1e-300, true, 'ω水😀', '', 2 ** 53 - 1]
  for (const [at, data] of values.entries()) {
    for (const query of ['', 'compTmplId=worded']) {
      const compId = `c${at}${query}`
      const times = Array.from({ length: 50 }, (_, time) => time)
      await home.putJson(
        times.map((time) => ({ compId, streamId: 's', time, data })),
        query,
      )
    }
  }
  assert.equal(count, 2 * values.length)
})

test('puts at once that create the same make one component, and all of their samples are stored', async (t) => {
  const home = await openFeedHome()
  t.after(() => home.close())
  const puts = Array.from({ length: 20 }, (_, at) =>
    home.putJson(body.map((sample) => ({ ...sample, time: 1_000 + at }))),
  )
  await Promise.all(puts)
  const { index } = home.catalog
  const component = index.resolveComponent('o', 'fresh')
  assert.equal(component?.streamCount, 2)
  assert.equal(index.componentCount, 2, 'beside the one that every home has')
  const times = home.landed.flatMap(({ count, times: all }) => [...all.slice(0, count)])
  const expected = puts.flatMap((_, at) => [1_000 + at, 1_000 + at])
  assert.deepEqual(
    times.sort((a, b) => a - b),
    expected,
  )
})

const fleet = (from: number, until: number, time: number, data: unknown = 1) =>
  Array.from({ length: until - from }, (_, at) => ({
    compId: `device-${from + at}`,
    streamId: 't',
    time,
    data,
  }))

test('puts at once that create overlapping streams in different ways store all of their samples', async (t) => {
  const home = await openFeedHome()
  t.after(() => home.close())
  const sent = [
    home.putJson(fleet(0, 300, 1_000)),
    home.putJson(fleet(100, 400, 2_000)),
    // Components with a folder and those with streams that are there take the longer way.
    home.putJson(fleet(50, 350, 3_000), 'folder=/Components/yard'),
    home.putJson([{ compId: 'c', streamId: 'x', time: 1, data: 1 }, ...fleet(200, 500, 4_000)]),
    home.putJson(fleet(0, 300, 5_000)),
    home.putJson(fleet(0, 500, 6_000)),
  ]
  await Promise.all(sent)
  const { index } = home.catalog
  assert.equal(index.componentCount, 501, 'beside the one that every home has')
  const handles = new Map<string, number>()
  for (let at = 0; at < 500; at++) {
    const component = index.resolveComponent('o', `device-${at}`)
    assert.equal(component?.streamCount, 1)
    handles.set(`device-${at}`, component?.streams[0] ?? 0)
  }
  const stored = new Set<string>()
  for (const { count, handles: of, times } of home.landed) {
    for (let at = 0; at < count; at++) stored.add(`${of[at]} ${times[at]}`)
  }
  const ranges = [
    [0, 300, 1_000],
    [100, 400, 2_000],
    [50, 350, 3_000],

    [200, 500, 4_000],
    [0, 300, 5_000],
    [0, 500, 6_000],
  ]
  for (const [from, until, time] of ranges) {
    for (let at = from; at < until; at++) {
      assert.ok(stored.has(`${handles.get(`device-${at}`)} ${time}`), `device-${at} at ${time}`)
    }
  }
  const another = await home.openAnother()
  assert.equal(another.index.componentCount, 501)
  assert.equal(another.index.resolveComponent('o', 'device-7')?.streams[0], handles.get('device-7'))
})

test('new streams of a bulk put get the types of their values, and times where none are given', async (t) => {
  const home = await openFeedHome()
  t.after(() => home.close())
  const [{ compId, streamId }] = fleet(0, 1, 0)
  await home.putJson([
    { compId, streamId, data: '72.5' },
    { compId, streamId, data: '73' },
    { compId, streamId: 'state', data: 'on' },
    { compId: 'quiet', streamId, time: 5, data: null },
  ])
  const { index } = home.catalog
  const [number, text] = index.resolveComponent('o', compId)?.streams ?? []
  const [untyped] = index.resolveComponent('o', 'quiet')?.streams ?? []
  assert.deepEqual(
    [number, text, untyped].map((handle) => index.valueCodeOf(handle)),
    [VALUE_CODE.DOUBLE, VALUE_CODE.STRING, VALUE_CODE.NONE],
  )
  const [{ count, handles, times, numbers }] = home.landed
  assert.deepEqual([...handles.slice(0, count)], [number, number, text])
  assert.deepEqual([...numbers.slice(0, 2)], [72.5, 73])
  assert.equal(times[1], times[0] + 1)
})

test('one bad sample or ID rejects a whole bulk put', async (t) => {
  const home = await openFeedHome()
  t.after(() => home.close())
  const long = { compId: 'x'.repeat(513), streamId: 't', time: 1, data: 1 }
  await assert.rejects(home.putJson([...fleet(0, 5, 1), long]), /has 513 characters/)
  const blank = { compId: 'ok', streamId: ' ', time: 1, data: 1 }
  await assert.rejects(home.putJson([...fleet(0, 5, 1), blank]), /streamId/)
  const text = { compId: 'device-0', streamId: 't', time: 2, data: 'x'.repeat(1_000_001) }
  await assert.rejects(home.putJson([...fleet(0, 5, 1), text]), /1000001 characters/)
  assert.equal(home.catalog.index.componentCount, 1)
})

test('streams of new components that come apart in a call are made in their components', async (t) => {
  const home = await openFeedHome()
  t.after(() => home.close())
  const pairs = ['a s', 'b t', 'a u', 'c s', 'b s', 'a t', 'a s'].map((pair) => pair.split(' '))
  await home.putJson(
    pairs.map(([compId, streamId], at) => ({ compId, streamId, time: 1_000 + at, data: at })),
  )
  const expected = { a: ['s', 'u', 't'], b: ['t', 's'], c: ['s'] }
  const sent = new Map<string, number[]>()
  for (const [at, pair] of pairs.entries()) {
    sent.set(pair.join(' '), [...(sent.get(pair.join(' ')) ?? []), at])
  }
  for (const { index } of [home.catalog, await home.openAnother()]) {
    for (const [compId, streamIds] of Object.entries(expected)) {
      const streams = index.resolveComponent('o', compId)?.streams ?? []
      assert.deepEqual(
        streams.map((handle) => index.streamIdOf(handle)),
        streamIds,
      )
      const uid = index.resolveComponent('o', compId)?.uid ?? ''
      assert.deepEqual(
        streams.map((handle) => index.streamUid(handle)),
        streams.map((_, at) => countedUidOf(uid, at + 1)),
      )
      for (const handle of streams) {
        assert.equal(index.streamByUid('o', index.streamUid(handle)), handle)
        assert.deepEqual(landedAt(handle), sent.get(`${compId} ${index.streamIdOf(handle)}`))
      }
    }
  }
  function landedAt(handle: number): number[] {
    const [{ count, handles, numbers }] = home.landed
    return [...numbers.slice(0, count)].filter((_, at) => handles[at] === handle)
  }
})
