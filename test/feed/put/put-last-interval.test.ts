/** Interval streams at the end of time: what cannot be kept is refused for the true reason. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StreamInput } from '../../../src/catalog/shape/index.ts'
import { type FeedHome, keyWith, openFeed, pairs, refused } from '../../support/feed-home.ts'

const everything = keyWith(['*', 'GET PUT POST DELETE'])

async function addCycle(feed: FeedHome, cycle: object): Promise<StreamInput> {
  await feed.catalog.cycles.insert(everything, { id: 'base', ...cycle })
  return { streamType: 'intvl_stream', baseCycle: { id: 'base' }, valueType: 'DOUBLE' }
}

const at = (text: string): number => Date.parse(text)

test('put() says that an interval ends after the time of samples, and takes the one before', async (t) => {
  const feed = await openFeed(t)
  const stream = await addCycle(feed, { sizeType: 'YEAR', count: 1, timeZoneId: 'America/Havana' })
  await feed.add('d', { i: stream })
  const put = (time: string) =>
    feed.putJson([{ compId: 'd', streamId: 'i', data: 1, time: at(time) }])
  const { message } = await refused(put('2261-06-01T00:00Z'))
  assert.match(message, /sample 0: "time" is in an interval that ends at 2262-01-01T05:00:00.000Z/)
  assert.match(message, /after 2261/)
  await put('2260-06-01T00:00Z')
  await put('2261-01-01T05:00Z')
  const samples = JSON.parse(
    String(
      await feed.calls.read(everything, {
        call: 'get',
        ids: { compId: 'd', streamId: 'i' },
        query: '',
      }),
    ),
  )
  assert.deepEqual(pairs(samples), [[at('2261-01-01T05:00Z'), 1]])
})

test('a base cycle that leaves no room for samples of our time is refused when saved', async (t) => {
  const feed = await openFeed(t)
  const reference = { referenceDate: '2023-10-29T00:00:00' }
  const stream = await addCycle(feed, { sizeType: 'YEAR', count: 400, ...reference })
  const reason =
    /starts at 2023-10-29T00:00:00.000Z and ends at 2423-10-29T00:00:00.000Z.*after 2261/
  assert.match((await refused(feed.add('d', { i: stream }))).message, reason)
  assert.equal(feed.catalog.index.resolveComponent('o', 'd'), undefined)
  const template = { id: 't', stream: [{ id: 'i', ...stream }] }
  const call = feed.catalog.templates.insert(everything, template)
  assert.match((await refused(call)).message, reason)
})

test('a base cycle of a century is taken, and one of a template that grew too long is not', async (t) => {
  const feed = await openFeed(t)
  const stream = await addCycle(feed, { sizeType: 'YEAR', count: 100, referenceDate: '1970-01-01' })
  await feed.add('d', { i: stream })
  await feed.putJson([{ compId: 'd', streamId: 'i', data: 1, time: at('2024-06-01T00:00Z') }])
  await feed.catalog.templates.insert(everything, { id: 't', stream: [{ id: 'i', ...stream }] })
  const { records } = await feed.catalog.cycles.list(everything, { start: 0, limit: 99 })
  const uid = records.find(({ id }) => id === 'base')?.uid ?? ''
  await feed.catalog.cycles.update(everything, uid, { count: 400 })
  const { message } = await refused(feed.put('compId=e&compTmplId=t&i=1'))
  assert.match(message, /Cannot use this cycle for intervals/)
  await feed.putJson([{ compId: 'd', streamId: 'i', data: 2, time: at('2024-06-01T00:00Z') }])
})
