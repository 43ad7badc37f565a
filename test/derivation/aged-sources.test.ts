/** Samples of sources that grow too old for their delete profile: what was derived of them stays. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../src/base/index.ts'
import type { StreamInput } from '../../src/catalog/shape/index.ts'
import { catalogClockMark, expiringStreams, makeDeleteProfileJob } from '../../src/feed/index.ts'
import { type DerivationHome, derivationHome, owner } from '../support/derivation-home.ts'
import { settlesTo } from '../support/settle.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const START = Date.UTC(2024, 0, 1, 12)
const day = (count: number) => START + count * DAY

type Values = readonly (readonly [day: number, value: number])[]

const derived = (
  id: string,
  expression: string,
  { follows, ...more }: { follows: boolean } & Partial<StreamInput>,
): StreamInput => ({
  id,
  streamDerivationType: 'FROM_EXPRESSION',
  ...more,
  derivation: {
    expression,
    variables: [
      { name: 'a', streamId: 'a' },
      { name: 'b', streamId: 'b' },
      { name: 'before', streamId: 'a', offset: -1 },
    ].filter(({ name }) => new RegExp(`\\b${name}\\b`).test(expression)),
    followsCorrections: follows,
  },
})

async function makeHome(t: Parameters<typeof derivationHome>[0]) {
  const clock = new ManualClock(day(10) - HOUR)
  const home = await derivationHome(t, { clock })
  const { catalog, catalogStore, feed, samples } = home
  const job = makeDeleteProfileJob({
    samples,
    clock,
    retention: feed.retention,
    catalog: catalogStore,
    holder: 'test',
    mark: catalogClockMark(catalogStore),
    streams: (isDue) => expiringStreams(catalog.index, feed.retention, isDue),
    onJump: (ms) => assert.fail(`the clock jumped by ${ms}`),
    onFailure: (error) => assert.fail(error as Error),
  })
  await job.run()
  const profile = async (count: number) => {
    const { uid } = await catalog.deleteProfiles.insert(owner, { sizeType: 'DAY', count })
    return { delete_profile: { uid } }
  }
  await home.add('c', [
    { id: 'a', valueType: 'DOUBLE', ...(await profile(10)) },
    { id: 'b', valueType: 'DOUBLE' },
    derived('kept', 'a + b', { follows: false }),
    derived('mended', 'a + b', { follows: true }),
    derived('change', 'a - before', { follows: true }),
    derived('brief', 'a', { follows: true, ...(await profile(2)) }),
  ])
  const rows = Array.from({ length: 9 }, (_, at) => at + 1)
  await home.put(...rows.map((count) => ['a', day(count), count] as const))
  await home.put(...rows.map((count) => ['b', day(count), 100 * count] as const))
  await home.derivation.worker.settle()
  return { home, clock, job }
}

async function check(home: DerivationHome, id: string, expected: Values, what = ''): Promise<void> {
  const found = (await home.read(id)).map(([time, value]) => [(time - START) / DAY, value])
  assert.deepEqual(found, expected, `${id} ${what}`)
}

async function deriveAll(home: DerivationHome, id: string): Promise<void> {
  const { index } = home.catalog
  const handle = home.handleOf('c', id)
  const path = { componentUid: index.componentOf(handle).uid, uid: index.streamUid(handle) }
  const { jobs } = home.derivation
  const { uid } = await jobs.start(owner, path, {})
  await settlesTo(() => jobs.unfinishedCount, 0)
  assert.equal((await jobs.get(owner, uid)).status, 'DONE')
}

const from = (first: number, value: (count: number) => number): Values =>
  Array.from({ length: 10 - first }, (_, at) => [first + at, value(first + at)] as const)

test('what was derived of samples that grew too old stays, whether it follows corrections or not', async (t) => {
  const { home, clock, job } = await makeHome(t)
  const sums = from(1, (count) => 101 * count)
  const changes = from(2, () => 1)
  await check(home, 'mended', sums)
  await check(home, 'brief', [
    [8, 8],
    [9, 9],
  ])
  clock.advance(5 * DAY)
  assert.equal(await job.run(), 2)
  await home.derivation.worker.settle()
  await check(
    home,
    'a',
    from(5, (count) => count),
  )
  await check(home, 'kept', sums)
  await check(home, 'mended', sums)
  await check(home, 'change', changes)
  await check(home, 'brief', [], 'goes by its own profile')
})

test('corrections and jobs beside samples that are gone derive only what can be derived whole', async (t) => {
  const { home, clock, job } = await makeHome(t)
  clock.advance(5 * DAY)
  await job.run()
  await home.put(['b', day(2), 7], ['b', day(8), 8_000], ['a', day(5), 50])
  await home.remove('b', day(3), day(3) + 1)
  await home.derivation.worker.settle()
  const sums = from(1, (count) => 101 * count)
  const repaired = sums.map(([count, sum]) => [count, { 5: 550, 8: 8_008 }[count] ?? sum] as const)
  const changes = from(2, (count) => (count === 6 ? -44 : 1))
  await check(home, 'kept', sums)
  await check(home, 'mended', repaired)
  await check(home, 'change', changes, 'the first sample has lost the one before it')
  for (const id of ['kept', 'mended', 'change']) await deriveAll(home, id)
  await check(home, 'kept', repaired, 'after a job')
  await check(home, 'mended', repaired, 'after a job')
  await check(home, 'change', changes, 'after a job')
  await home.remove('change', day(0), day(20))
  await deriveAll(home, 'change')
  await check(
    home,
    'change',
    from(6, (count) => (count === 6 ? -44 : 1)),
    'of what is left',
  )
  await home.put(['a', day(10), 10])
  await home.derivation.worker.settle()
  await check(home, 'change', [...from(6, (count) => (count === 6 ? -44 : 1)), [10, 1]])
})
