/** A result that is stored in parts is what one put of it would be, wherever a process that stores it dies. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { epochMs, MemoryBudget, refusal, refuse } from '../../src/base/index.ts'
import { GatheredSamples } from '../../src/connectors/result/gathered-samples.ts'
import { makeResult } from '../../src/connectors/result/make-result.ts'
import { ResultFile } from '../../src/connectors/result/result-file.ts'
import { RunStreams } from '../../src/connectors/result/run-streams.ts'
import { storeResult } from '../../src/connectors/result/store-result.ts'
import {
  Feed,
  IncomingSamples,
  OpenTargets,
  VALUE_NULL,
  VALUE_NUMBER,
  VALUE_TEXT,
} from '../../src/feed/index.ts'
import type { StreamHandle } from '../../src/store/index.ts'
import { anyFeed, type FeedHome, NOW, openFeed } from '../support/feed-home.ts'
import { Random, testSeeds } from '../support/random.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

type Row = readonly [cid: string, id: string, time: number, value: number | string | null]

const STREAMS = {
  random: { valueType: 'DOUBLE' },
  point: { streamType: 'point_stream', valueType: 'DOUBLE' },
  hours: { streamType: 'intvl_stream', valueType: 'DOUBLE', baseCycle: { id: 'hour' } },
  untyped: {},
} as const

const BUDGET = new MemoryBudget(1e9)
const RUN = 'a-run'

class Crash extends Error {}

/** A home with a folder for results; each feed of it is as one of a process that has just begun. */
async function openHome(t: TestContext) {
  const home = await openFeed(t, STREAMS)
  const folder = temporaryFolder()
  const newFeed = () => new Feed({ ...home, showFile: (text) => text })
  return { home, folder, newFeed }
}

type Home = Awaited<ReturnType<typeof openHome>>

function incoming(rows: readonly Row[]): IncomingSamples {
  const samples = new IncomingSamples()
  samples.runs = [{ from: 0, name: 'the INSERT' }]
  const targets = new OpenTargets(samples)
  for (const [index, [cid, id, time, value]] of rows.entries()) {
    targets.addById(cid, id, index)
    const kind = value === null ? VALUE_NULL : typeof value === 'number' ? VALUE_NUMBER : VALUE_TEXT
    const text = typeof value === 'string' ? value : undefined
    samples.add(0, time, { kind, number: typeof value === 'number' ? value : 0, text })
  }
  return samples
}

async function make({ folder, newFeed }: Home, rows: readonly Row[], partSamples: number) {
  const streams = new RunStreams()
  const file = await ResultFile.create(folder, RUN)
  const samples = await GatheredSamples.open(folder, streams, NOW)
  try {
    await samples.add(incoming(rows))
    await makeResult(
      {
        feed: newFeed(),
        budget: BUDGET,
        principal: anyFeed,
        now: epochMs(NOW),
        signal: new AbortController().signal,
        partSamples,
      },
      { samples, streams, known: new Map(), rowsFetched: rows.length },
      file,
    )
    return file
  } catch (error) {
    await file.remove()
    throw error
  } finally {
    await samples.close()
  }
}

async function store(feed: Pick<Feed, 'put' | 'catalog'>, file: ResultFile, isResumed: boolean) {
  const parts = { feed, budget: BUDGET, renew: async () => anyFeed, now: epochMs(NOW) }
  const signal = new AbortController().signal
  await storeResult({ ...parts, signal, isResumed, onStored: () => {} }, file)
}

/** All samples of all streams. */
async function storedIn({ catalog, store }: FeedHome) {
  const found: Record<string, unknown> = {}
  for (const handle of catalog.index.handlesOf('o')) {
    const { compId } = catalog.index.componentOf(handle)
    const query = { from: epochMs(0), until: epochMs(2 * NOW), order: 'oldest_first' } as const
    const { times, numbers, texts } = await store.range(handle as StreamHandle, {
      ...query,
      limit: 100_000,
    })
    found[`${compId} / ${catalog.index.streamIdOf(handle)}`] = [...times].map((time, at) => [
      time,
      texts?.[at] ?? numbers[at],
    ])
  }
  return found
}

function randomRows(random: Random, count: number): Row[] {
  return Array.from({ length: count }, (): Row => {
    const cid = random.pick(['c', 'c', 'n0', 'n1'])
    const id = random.pick(cid === 'c' ? Object.keys(STREAMS) : ['a', 'mixed'])
    const hasNoTime = id !== 'hours' && random.integer(0, 5) === 0
    const time = hasNoTime ? Number.NaN : NOW - 1 - random.integer(0, 20) * 1_200_000
    const value = random.integer(0, 10) === 0 ? null : random.integer(0, 100)
    return [cid, id, time, id === 'mixed' && random.integer(0, 20) === 0 ? 'n/a' : value]
  })
}

/** With it a NULL without a time stands before a value of its stream, and a crash between them. */
const NULL_BEFORE_CRASH = 1_502_551_809

for (const seed of new Set([NULL_BEFORE_CRASH, ...testSeeds(6)])) {
  test(`a result in parts is the same wherever its process dies (WEIR_TEST_SEED=${seed})`, async (t) => {
    const random = new Random(seed)
    const rows = randomRows(random, 60)
    const [plain, crashing] = [await openHome(t), await openHome(t)]
    const whole = await make(plain, rows, 1_000)
    await store(plain.newFeed(), whole, false)
    await whole.remove()
    const expected = await storedIn(plain.home)

    let file = await make(crashing, rows, 7)
    assert.ok(file.partCount > 5)
    let isResumed = false
    for (let isDone = false; !isDone; isResumed = true) {
      const feed = crashing.newFeed()
      let puts = random.integer(0, 4)
      const isBefore = random.integer(0, 2) === 0
      const put: Feed['put'] = async (principal, command) => {
        const isLast = puts === 0
        puts -= 1
        if (isLast && isBefore) throw new Crash()
        const warnings = await feed.put(principal, command)
        if (isLast) throw new Crash()
        return warnings
      }
      try {
        await store({ put, catalog: feed.catalog }, file, isResumed)
        isDone = true
      } catch (error) {
        if (!(error instanceof Crash)) throw error
        await file.close()
        const found = await ResultFile.find(crashing.folder, RUN)
        assert.ok(found)
        file = found
      }
    }
    assert.deepEqual(await storedIn(crashing.home), expected)
    assert.equal(file.summary.rowsFetched, rows.length)
    await file.remove()
    assert.deepEqual(readdirSync(crashing.folder), [])
  })
}

test('what the last part cannot store is found before the first is stored, and no stream is made', async (t) => {
  const home = await openHome(t)
  const rows: Row[] = Array.from({ length: 100 }, (_, at) => ['n0', 'a', at + 1, at])
  await assert.rejects(
    make(home, [...rows, ['c', 'random', 1, 'no number']], 10),
    /row 101 of the INSERT/,
  )
  assert.deepEqual(
    Object.keys(await storedIn(home.home)).filter((name) => /^n/.test(name)),
    [],
  )
  assert.deepEqual(readdirSync(home.folder), [])
})

test('a part that finds no room is put again, and one whose streams are refused is not', async (t) => {
  const home = await openHome(t)
  const rows: Row[] = Array.from({ length: 30 }, (_, at) => ['n0', 'a', at + 1, at])
  const file = await make(home, rows, 10)
  const feed = home.newFeed()
  let puts = 0
  const put: Feed['put'] = async (principal, command) => {
    puts += 1
    if (puts === 2) refuse('read_only', { what: 'The disk is full', retryAfterSeconds: 1 })
    if (puts === 4) throw refusal('forbidden', { what: 'Not any more' })
    return await feed.put(principal, command)
  }
  await assert.rejects(store({ put, catalog: feed.catalog }, file, false), { code: 'forbidden' })
  assert.equal(puts, 4)
  const { 'n0 / a': stored } = (await storedIn(home.home)) as Record<string, unknown[]>
  assert.equal(stored.length, 10)
  await file.remove()
})

test('the type of a stream to be made is that of all its samples, not of those in its first part', async (t) => {
  const home = await openHome(t)
  const rows: Row[] = Array.from({ length: 30 }, (_, at) => ['n0', 'a', at + 1, at])
  const file = await make(home, [...rows, ['n0', 'a', 100, 'off']], 10)
  await store(home.newFeed(), file, false)
  const { 'n0 / a': stored } = (await storedIn(home.home)) as Record<string, unknown[]>
  assert.deepEqual([stored.length, stored[0], stored[30]], [31, [1, '0'], [100, 'off']])
  await file.remove()
})

test('a result whose end a crash has cut off is none, and one that was changed is not stored', async (t) => {
  const home = await openHome(t)
  const file = await make(home, [['n0', 'a', 1, 5]], 10)
  await file.close()
  const path = join(home.folder, `${RUN}.result`)
  const bytes = readFileSync(path)
  bytes[bytes.indexOf('n0') + 1] ^= 1
  writeFileSync(path, bytes)
  const changed = await ResultFile.find(home.folder, RUN)
  assert.ok(changed)
  await assert.rejects(
    store(home.newFeed(), changed, true),
    /checksum of an import result is wrong/,
  )
  await changed.close()
  writeFileSync(path, bytes.subarray(0, bytes.length - 10))
  assert.equal(await ResultFile.find(home.folder, RUN), undefined)
  assert.deepEqual(readdirSync(home.folder), [])
})
