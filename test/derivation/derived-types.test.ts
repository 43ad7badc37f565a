import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { MemoryBudget, TIME_END } from '../../src/base/index.ts'
import type { StreamInput } from '../../src/catalog/shape/index.ts'
import { historyWork } from '../../src/derivation/history/derive-history.ts'
import { FeedCalls } from '../../src/http/feed/feed-calls.ts'
import { type DerivationHome, derivationHome, ORG, owner } from '../support/derivation-home.ts'
import { batch } from '../support/samples.ts'

const T = Date.UTC(2024, 4, 1)

function derived(id: string, expression: string, ...sources: string[]): StreamInput {
  const variables = sources.map((name) => ({ name, streamId: name }))
  return { id, derivation: { expression, variables } }
}

/** A source without a type, what is derived from it, and what is derived from that. */
const chain: readonly StreamInput[] = [
  { id: 'a' },
  derived('twice', 'a * 2', 'a'),
  derived('more', 'twice + 1', 'twice'),
  derived('told', "'it is ' + more", 'more'),
]

interface TypesHome extends DerivationHome {
  /** Puts as a call does: the first value of a stream gives it its type. */
  call(query: string): Promise<string>
  typesOf(compId: string, ...ids: string[]): Promise<(string | undefined)[]>
  statusOf(id: string): ReturnType<DerivationHome['derivation']['status']['read']>
}

async function typesHome(t: TestContext): Promise<TypesHome> {
  const home = await derivationHome(t)
  return Object.assign(Object.create(home) as DerivationHome, {
    call: (query: string) => {
      const calls = new FeedCalls(home.feed, new MemoryBudget(1e9))
      return calls.put(owner, query, Buffer.alloc(0), { warn: () => {} })
    },
    typesOf: async (compId: string, ...ids: string[]) => {
      const types: (string | undefined)[] = []
      for (const id of ids) {
        types.push((await home.catalog.describeStream(home.handleOf(compId, id)))?.valueType)
      }
      return types
    },
    statusOf: (id: string) => home.derivation.status.read(home.handleOf('c', id)),
  })
}

const CHAIN_TYPES = ['DOUBLE', 'DOUBLE', 'STRING']

test('a put that gives a source its type gives it to what is derived from it, along a chain', async (t) => {
  const home = await typesHome(t)
  await home.add('c', chain)
  assert.deepEqual(await home.typesOf('c', 'a', 'twice', 'more', 'told'), ['', '', '', 'STRING'])
  await home.call(`compId=c&a=3&time=${T}&derMaxS`)
  assert.deepEqual(await home.typesOf('c', 'twice', 'more', 'told'), CHAIN_TYPES)
  assert.deepEqual(await home.read('more'), [[T, 7]])
  assert.deepEqual(await home.read('told'), [[T, 'it is 7']])
})

test('in the background, after a kill and in sealed samples the types are the same', async (t) => {
  const home = await typesHome(t)
  await home.add('c', chain)
  await home.call(`compId=c&a=3&time=${T}`)
  await home.restart(true)
  await home.derivation.start()
  await home.derivation.worker.settle()
  assert.deepEqual(await home.typesOf('c', 'twice', 'more', 'told'), CHAIN_TYPES)
  await home.samples.sealAll()
  await home.restart()
  await home.derivation.start()
  assert.deepEqual(await home.typesOf('c', 'twice', 'more', 'told'), CHAIN_TYPES)
  await home.call(`compId=c&a=4&time=${T + 1}`)
  await home.derivation.worker.settle()
  assert.deepEqual(await home.read('told'), [
    [T, 'it is 7'],
    [T + 1, 'it is 9'],
  ])
})

test('a type is determined without a result, also when a record gives it to the source', async (t) => {
  const home = await typesHome(t)
  const unmet = derived('unmet', 'a', 'a', 'b')
  await home.add('c', [...chain, { id: 'b' }, unmet, derived('after', 'unmet', 'unmet')])
  const handle = home.handleOf('c', 'a')
  const { uid: componentUid } = home.catalog.index.componentOf(handle)
  const uid = home.catalog.index.streamUid(handle)
  await home.catalog.streams.update(owner, { componentUid, uid }, { valueType: 'LONG' })
  await home.derivation.types.settle()
  assert.deepEqual(await home.typesOf('c', 'twice', 'more', 'told'), CHAIN_TYPES)
  assert.deepEqual(await home.typesOf('c', 'unmet', 'after'), ['DOUBLE', 'DOUBLE'])
})

test('what the last process left without a type gets it at the start', async (t) => {
  const home = await typesHome(t)
  await home.add('c', chain)
  await home.derivation.types.close()
  await home.call(`compId=c&a=3&time=${T}`)
  assert.deepEqual(await home.typesOf('c', 'twice'), [''])
  await home.restart(true)
  await home.derivation.start()
  await home.derivation.types.settle()
  assert.deepEqual(await home.typesOf('c', 'twice', 'more'), ['DOUBLE', 'DOUBLE'])
})

test('a source with a type that the formula cannot use is reported, and nothing is derived', async (t) => {
  const home = await typesHome(t)
  await home.add('c', chain)
  await home.call(`compId=c&a=warm&time=${T}&derMaxS`)
  await home.derivation.worker.settle()
  assert.deepEqual(await home.typesOf('c', 'a', 'twice', 'more'), ['STRING', '', ''])
  assert.deepEqual(await home.read('twice'), [])
  assert.match((await home.statusOf('twice')).lastError?.message ?? '', /does not fit.*a text/)
})

test('components that are made from a template get their own types', async (t) => {
  const home = await typesHome(t)
  const stream = [{ id: 'a' }, derived('same', 'a', 'a'), derived('next', 'same', 'same')]
  await home.catalog.templates.insert(owner, { id: 'tmpl', stream })
  await home.call(`compId=n&compTmplId=tmpl&a=3&time=${T}&derMaxS`)
  await home.call(`compId=s&compTmplId=tmpl&a=warm&time=${T}`)
  await home.derivation.worker.settle()
  assert.deepEqual(await home.typesOf('n', 'same', 'next'), ['DOUBLE', 'DOUBLE'])
  assert.deepEqual(await home.typesOf('s', 'same', 'next'), ['STRING', 'STRING'])
  assert.deepEqual(await home.readOf('s', 'next'), [[T, 'warm']])
})

const MIXED = "if(a > 5, 'high', a)"

test('the first result of a formula of two types determines the type, and others are errors', async (t) => {
  const home = await typesHome(t)
  await home.add('c', [{ id: 'a' }, derived('mixed', MIXED, 'a'), derived('of', 'mixed', 'mixed')])
  await home.call(`compId=c&a=1&time=${T}&derMaxS`)
  await home.call(`compId=c&a=9&time=${T + 1}&derMaxS`)
  await home.call(`compId=c&a=2&time=${T + 2}`)
  await home.call(`compId=c&a=8&time=${T + 3}`)
  await home.derivation.worker.settle()
  const kept = [
    [T, 1],
    [T + 2, 2],
  ]
  assert.deepEqual(await home.read('mixed'), kept)
  assert.deepEqual(await home.read('of'), kept)
  assert.deepEqual(await home.typesOf('c', 'mixed', 'of'), ['DOUBLE', 'DOUBLE'])
  const { errorCount, lastError } = await home.statusOf('mixed')
  assert.equal(errorCount, 2)
  assert.equal(lastError?.time, T + 3)
  assert.match(lastError?.message ?? '', /must be a number, but is "high"/)
})

test('a job over history gives the type with its first result, and goes on', async (t) => {
  const home = await typesHome(t)
  await home.add('c', [{ id: 'a', valueType: 'DOUBLE' }, derived('mixed', MIXED, 'a')])
  await home.derivation.worker.close()
  const source = home.handleOf('c', 'a')
  const rows = Array.from({ length: 40_000 }, (_, at) => [source, T + at, 6 + (at % 2)] as const)
  await home.feed.append(batch(rows), ORG)
  const { feed, samples, derivation, catalog } = home
  const { status, graph } = derivation
  const work = historyWork({ feed, store: samples, status, graph, catalog })
  const job = { from: 0, until: TIME_END, at: 0 } as never
  const handle = home.handleOf('c', 'mixed')
  await work.run(handle, job, { isOver: false, report: async () => true, keep: async () => true })
  assert.deepEqual(await home.typesOf('c', 'mixed'), ['STRING'])
  const kept = await home.read('mixed')
  assert.equal(kept.length, rows.length)
  assert.ok(kept.every(([, value]) => value === 'high'))
})

test('a source whose values get another type by its rollup method is reported, and types are never mixed', async (t) => {
  const home = await typesHome(t)
  const minutes = { streamType: 'intvl_stream', baseCycle: 'minute' } as const
  const on = { id: 'a', valueType: 'BOOLEAN', rollupMethod: 'last' } as const
  await home.add('c', [on, { ...derived('d', 'a', 'a'), ...minutes }])
  assert.deepEqual(await home.typesOf('c', 'd'), ['BOOLEAN'])
  const minute = 60_000
  const put = (at: number, value: boolean) =>
    home.call(`compId=c&a=${value}&time=${T + at * minute}&derMaxS`)
  for (const [at, value] of [true, false].entries()) await put(at, value)
  const handle = home.handleOf('c', 'a')
  const { uid: componentUid } = home.catalog.index.componentOf(handle)
  const uid = home.catalog.index.streamUid(handle)
  await home.catalog.streams.update(owner, { componentUid, uid }, { rollupMethod: 'avg' })
  await put(2, true)
  await home.derivation.worker.settle()
  assert.deepEqual(await home.read('d'), [[T + minute, 1]])
  const { lastError } = await home.statusOf('d')
  assert.match(lastError?.message ?? '', /the type BOOLEAN cannot store .* DOUBLE/)
  await home.catalog.streams.update(owner, { componentUid, uid }, { rollupMethod: 'last' })
  const derivedUid = home.catalog.index.streamUid(home.handleOf('c', 'd'))
  const repaired = await home.catalog.streams.get(owner, componentUid, derivedUid)
  assert.equal(repaired.derivationStatus?.lastError, null)
  await put(3, true)
  assert.deepEqual(await home.read('d'), [
    [T + minute, 1] as const,
    [T + 2 * minute, 0] as const,
    [T + 3 * minute, 1] as const,
  ])
})

test('decimals keep every digit where a formula only chooses, and are DOUBLE where it calculates', async (t) => {
  const home = await typesHome(t)
  const [a, b] = ['12345678901234567890.123456789012345678', '0.000000000000000000001']
  await home.add('c', [
    { id: 'a', valueType: 'BIG_DECIMAL' },
    { id: 'b', valueType: 'BIG_DECIMAL' },
    derived('same', 'a', 'a'),
    derived('greater', 'if(a > b, a, b)', 'a', 'b'),
    derived('present', 'ifNull(a, b)', 'a', 'b'),
    derived('text', 'CAST(a AS STRING)', 'a'),
    derived('sum', 'a + b', 'a', 'b'),
    { ...derived('declared', 'a + b', 'a', 'b'), valueType: 'BIG_DECIMAL' },
  ])
  await home.call(`compId=c&a=${a}&b=${b}&time=${T}&derMaxS`)
  for (const id of ['same', 'greater', 'present', 'text']) {
    assert.deepEqual(await home.read(id), [[T, a]], id)
  }
  const types = ['BIG_DECIMAL', 'BIG_DECIMAL', 'BIG_DECIMAL', 'STRING', 'DOUBLE']
  assert.deepEqual(await home.typesOf('c', 'same', 'greater', 'present', 'text', 'sum'), types)
  assert.deepEqual(await home.read('sum'), [[T, Number(a)]])
  const [[, declared]] = await home.read('declared')
  assert.equal(Number(declared), Number(a))
})
