import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Capabilities } from '../../src/access/index.ts'
import { ManualClock } from '../../src/base/index.ts'
import type { StreamInput } from '../../src/catalog/shape/index.ts'
import { StreamDeriver } from '../../src/derivation/index.ts'
import { derivationHome, owner } from '../support/derivation-home.ts'

type Derived = NonNullable<StreamInput['derivation']>

const source = (id: string): StreamInput => ({ id, valueType: 'DOUBLE' })

function derived(id: string, expression: string, sources: string, more: Partial<Derived> = {}) {
  const variables = sources.split(' ').map((name) => ({ name, streamId: name }))
  const derivation = { expression, variables, ...more }
  return { id, streamDerivationType: 'FROM_EXPRESSION', derivation } satisfies StreamInput
}

const follows = { followsCorrections: true }

test('appends are derived in the background, along a chain', async (t) => {
  const home = await derivationHome(t)
  await home.add('c', [
    source('a'),
    source('b'),
    derived('sum', 'a + b', 'a b'),
    derived('twice', 'sum * 2', 'sum'),
  ])
  await home.put(['a', 10, 1], ['a', 20, 2], ['b', 20, 5])
  await home.derivation.worker.settle()
  assert.deepEqual(await home.read('sum'), [[20, 7]])
  assert.deepEqual(await home.read('twice'), [[20, 14]])
  await home.put(['b', 30, 1])
  await home.put(['a', 30, 1])
  await home.derivation.worker.settle()
  assert.deepEqual(await home.read('twice'), [
    [20, 14],
    [30, 4],
  ])
})

test('only a stream that follows corrections is derived again, and those behind it that do', async (t) => {
  const home = await derivationHome(t)
  await home.add('c', [
    source('a'),
    derived('kept', 'a * 10', 'a'),
    derived('mended', 'a * 10', 'a', follows),
    derived('next', 'mended + 1', 'mended', follows),
  ])
  await home.put(['a', 10, 1], ['a', 20, 2], ['a', 30, 3])
  await home.derivation.worker.settle()
  await home.put(['a', 20, 5], ['a', 15, 7])
  await home.remove('a', 25, 40)
  await home.derivation.worker.settle()
  assert.deepEqual(await home.read('kept'), [
    [10, 10],
    [20, 20],
    [30, 30],
  ])
  const expected = [
    [10, 10],
    [15, 70],
    [20, 50],
  ]
  assert.deepEqual(await home.read('mended'), expected)
  assert.deepEqual(
    await home.read('next'),
    expected.map(([time, value]) => [time, value + 1]),
  )
})

test('a correction that only turns zero into minus zero is followed', async (t) => {
  const home = await derivationHome(t)
  await home.add('c', [source('a'), source('b'), derived('d', 'a / b', 'a b', follows)])
  await home.put(['a', 10, 0], ['b', 10, 3])
  await home.derivation.worker.settle()
  assert.deepEqual(await home.read('d'), [[10, 0]])
  await home.put(['b', 10, -3])
  await home.derivation.worker.settle()
  assert.deepEqual(await home.read('d'), [[10, -0]])
})

test('a process that was killed leaves nothing underived', async (t) => {
  const home = await derivationHome(t)
  await home.add('c', [source('a'), derived('d', 'a + 1', 'a', follows), derived('e', 'a', 'a')])
  await home.put(['a', 10, 1])
  await home.derivation.worker.settle()
  await home.put(['a', 20, 2], ['a', 10, 3])
  await home.restart(true)
  await home.derivation.start()
  await home.derivation.worker.settle()
  assert.deepEqual(await home.read('d'), [
    [10, 4],
    [20, 3],
  ])
  assert.deepEqual(await home.read('e'), [
    [10, 1],
    [20, 2],
  ])
})

test('appends derive nothing that lies before them', async (t) => {
  const home = await derivationHome(t)
  await home.add('c', [source('a')])
  await home.put(['a', 10, 1], ['a', 20, 2])
  const { uid } = home.catalog.index.componentOf(home.handleOf('c', 'a'))
  await home.catalog.streams.insert(owner, uid, derived('d', 'a', 'a'))
  await home.put(['a', 30, 3])
  await home.derivation.worker.settle()
  assert.deepEqual(await home.read('d'), [[30, 3]])
})

test('a formula that fails is reported with its inputs, once', async (t) => {
  const home = await derivationHome(t)
  await home.add('c', [source('a'), source('b'), derived('d', 'a * exp(b)', 'a b')])
  await home.put(['a', 10, 1], ['b', 10, 1_000])
  await home.derivation.worker.settle()
  await home.put(['a', 20, 1], ['b', 20, 0])
  await home.put(['a', 30, 7], ['b', 30, 1_000])
  await home.derivation.worker.settle()
  await home.put(['a', 40, 1])
  await home.derivation.worker.settle()
  assert.deepEqual(await home.read('d'), [[20, 1]])
  const handle = home.handleOf('c', 'd')
  const check = async () => {
    const status = await home.derivation.status.read(handle)
    assert.equal(status.errorCount, 2)
    assert.equal(status.sampleCount, 1)
    assert.equal(status.lastError?.time, 30)
    assert.deepEqual(status.lastError?.values, { a: 7, b: 1_000 })
    assert.match(status.lastError?.message ?? '', /finite/i)
    assert.ok((status.lastRun ?? 0) > 0)
  }
  await check()
  await home.restart()
  await check()
  const { uid } = home.catalog.index.componentOf(handle)
  const readBy = async (resource: string) => {
    const capabilities = new Capabilities([{ resource, methods: ['GET'] }])
    const streamUid = home.catalog.index.streamUid(handle)
    const stream = await home.catalog.streams.get({ ...owner, capabilities }, uid, streamUid)
    return stream.derivationStatus?.lastError
  }
  assert.deepEqual((await readBy('*'))?.values, { a: 7, b: 1_000 })
  const reply = await readBy(`component/${uid}/stream/${home.catalog.index.streamUid(handle)}`)
  assert.deepEqual([reply?.values, reply?.time], [{}, 30])
  assert.match(reply?.message ?? '', /users who can read its sources/)
})

test('a deleted source is reported at once', async (t) => {
  const home = await derivationHome(t)
  await home.add('c', [source('a'), derived('d', 'a', 'a')])
  const handle = home.handleOf('c', 'd')
  const { index, streams } = home.catalog
  const { uid } = index.componentOf(handle)
  const errorOf = async () =>
    (await streams.get(owner, uid, index.streamUid(handle))).derivationStatus?.lastError
  assert.equal(await errorOf(), null)
  await streams.delete(owner, uid, index.streamUid(home.handleOf('c', 'a')))
  assert.match((await errorOf())?.message ?? '', /"a"/)
})

test('a component that is locked is derived when it is free', async (t) => {
  const home = await derivationHome(t)
  await home.add('c', [source('a'), derived('d', 'a', 'a')])
  const { uid } = home.catalog.index.componentOf(home.handleOf('c', 'a'))
  const { locks, worker } = home.derivation
  assert.equal(await locks.lock(uid), true)
  assert.equal(await locks.lock(uid), false)
  await home.put(['a', 10, 1])
  await worker.settle()
  assert.deepEqual(await home.read('d'), [])
  assert.equal(worker.waitingCount, 1)
  await locks.unlock(uid)
  await worker.settle()
  assert.deepEqual(await home.read('d'), [[10, 1]])
  assert.equal(worker.waitingCount, 0)
})

test('long appends are derived in blocks, exactly', async (t) => {
  const home = await derivationHome(t)
  await home.add('c', [
    source('a'),
    source('b'),
    derived('d', 'a + b', 'a b'),
    derived('mean', '(d + before) / 2', 'd', {
      expression: '(d + before) / 2',
      variables: [
        { name: 'd', streamId: 'd' },
        { name: 'before', streamId: 'd', offset: -1 },
      ],
    }),
  ])
  const count = 50_000
  const rows = Array.from({ length: count }, (_, at) => at)
  await home.put(...rows.map((at) => ['a', at * 10, at] as const))
  await home.put(...rows.map((at) => ['b', at * 10, at] as const))
  await home.derivation.worker.settle()
  const found = await home.read('d')
  assert.equal(found.length, count)
  assert.ok(found.every(([time, value], at) => time === at * 10 && value === 2 * at))
  const means = await home.read('mean')
  assert.equal(means.length, count - 1)
  assert.ok(means.every(([, value], at) => value === 2 * at + 1))
})

test('watched streams that could not be stored at the start are stored later', async (t) => {
  const home = await derivationHome(t)
  await home.add('c', [source('a'), derived('d', 'a + 1', 'a')])
  // The one of the test derives alone.
  await home.derivation.worker.close()
  const { catalog, catalogStore, feed, samples } = home
  const failures: unknown[] = []
  const clock = new ManualClock(1_700_000_000_000)
  const deriver = new StreamDeriver({
    catalog,
    catalogStore,
    feed,
    store: samples,
    clock,
    holder: 'test',
    onFailure: (error) => failures.push(error),
  })
  const watch = samples.watch.bind(samples)
  const watched: number[] = []
  samples.watch = async (handles) => {
    watched.push(handles.length)
    if (watched.length === 1) throw new Error('the disk is full')
    await watch(handles)
  }
  try {
    await deriver.start()
    assert.deepEqual([watched, failures.length], [[1], 1])
    clock.advance(10_000)
    await home.put(['a', 10, 1])
    await deriver.worker.settle()
    assert.deepEqual([watched, failures.length], [[1, 1], 1])
    assert.deepEqual(await home.read('d'), [[10, 2]])
  } finally {
    // Before the home, whose stores it uses.
    await deriver.close()
  }
})
