import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../../src/base/index.ts'
import { FeedClient } from '../../support/feed-client.ts'
import { onCluster } from '../../support/service.ts'
import { serviceOfFile } from '../../support/service-of-file.ts'

const NOW = 1_700_000_000_000
const HOUR = 3_600_000

const clock = new ManualClock(NOW)
const service = serviceOfFile({ clock })
const client = new FeedClient(service)

async function putUntimed(streamId: string, values: readonly unknown[]): Promise<void> {
  const samples = values.map((data) => ({ compId: 'c', streamId, data }))
  assert.equal((await client.putJson(samples)).status, 200)
}

async function newest(streamId: string, limit = 3): Promise<[number, unknown][]> {
  return await client.get('c', streamId, `limit=${limit}`)
}

async function countOf(streamId: string): Promise<number> {
  const path = `/comp/c/stream/${streamId}/cycle/year/stat/nongapcount/last_value`
  return JSON.parse((await client.call('GET', path)).text)[0].data
}

test('times assigned ahead of the clock are not assigned again after a restart', {
  skip: onCluster(
    'a cluster assigns times up to 15 ms after the arrival, and 16 ms apart in a call',
  ),
}, async () => {
  const numbers = Array.from({ length: 5_000 }, (_, at) => at)
  await putUntimed('numbers', numbers)
  await putUntimed(
    'texts',
    numbers.map((at) => `t${at}`),
  )
  await service.restart()
  await putUntimed('numbers', [-1, -2])
  assert.deepEqual(await newest('numbers'), [
    [NOW + 5_001, -2],
    [NOW + 5_000, -1],
    [NOW + 4_999, 4_999],
  ])
  assert.equal(await countOf('numbers'), 5_002)
  clock.advance(2_500)
  await service.restart()
  await client.put('compId=c&numbers=-3&texts=x')
  assert.deepEqual((await newest('numbers'))[0], [NOW + 5_002, -3])
  assert.deepEqual((await newest('texts'))[0], [NOW + 5_000, 'x'])
  assert.equal(await countOf('numbers'), 5_003)
})

test('holes in what ran ahead do not hide its end', {
  skip: onCluster(
    'a cluster assigns times up to 15 ms after the arrival, and 16 ms apart in a call',
  ),
}, async () => {
  const start = clock.now()
  await putUntimed(
    'holes',
    Array.from({ length: 3_000 }, (_, at) => (at % 3 === 0 || at > 2_990 ? at : null)),
  )
  await service.restart()
  await putUntimed('holes', [-1])
  const [[time], [before]] = await newest('holes')
  assert.deepEqual([time - start, before - start], [3_000, 2_999])
})

test('samples in the future that brought their time do not move assigned ones', {
  skip: onCluster(
    'a cluster assigns times up to 15 ms after the arrival, and 16 ms apart in a call',
  ),
}, async () => {
  const start = clock.now()
  const forecast = [1, 2, 3].map((hours) => ({
    compId: 'c',
    streamId: 'forecast',
    data: hours,
    time: start + hours * HOUR,
  }))
  const soon = { compId: 'c', streamId: 'forecast', data: 0, time: start + 500 }
  assert.equal((await client.putJson([...forecast, soon])).status, 200)
  await service.restart()
  await putUntimed('forecast', [-1])
  const found = await newest('forecast', 10)
  assert.deepEqual(found.at(-1), [start, -1])
  assert.equal(found.length, 5)
})

test('files without a time follow those from before a restart', {
  skip: onCluster(
    'a cluster assigns times up to 15 ms after the arrival, and 16 ms apart in a call',
  ),
}, async () => {
  const start = clock.now()
  const upload = async (name: string) => {
    const body = new FormData()
    body.append('file', new Blob([name]), name)
    const path = `/comp/c/stream/files/feed/file/${name}`
    const { text } = await client.call('PUT', path, { body })
    return JSON.parse(text).time - start
  }
  assert.deepEqual([await upload('a'), await upload('b')], [0, 1])
  await service.restart()
  assert.equal(await upload('c'), 2)
})
