/** Statistics of streams with long gaps: the periods with samples are found without a look at those between. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FeedClient } from '../support/feed-client.ts'
import { serviceOfFile } from '../support/service-of-file.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const START = Date.UTC(2001, 0, 1)
/** More than a look back needs to go on by samples rather than by periods. */
const DAYS = 60
const GAP_DAYS = 90

const service = serviceOfFile({ settings: { WEIR_OWNER_TIME_ZONE: 'UTC' } })

test('each day with samples is returned once, also where one lies at the first moment of the day', async () => {
  const client = new FeedClient(service)
  const days = Array.from({ length: DAYS }, (_, at) => START + at * GAP_DAYS * DAY)
  const samples = days.flatMap((day, at) =>
    [0, 1, 12 * HOUR, DAY - 1].map((offset) => ({
      compId: 'c',
      streamId: 's',
      time: day + offset,
      data: at,
    })),
  )
  assert.equal((await client.putJson(samples)).status, 200)
  for (const limit of [1, 40, DAYS, 2 * DAYS]) {
    const path = `/comp/c/stream/s/cycle/day/stat/sum/feed?limit=${limit}`
    const { status, text } = await client.call('GET', path)
    assert.equal(status, 200, text)
    const reported = JSON.parse(text).map(({ data }: { data: number }) => data)
    const wanted = days.map((_, at) => 4 * at).reverse()
    assert.deepEqual(reported, wanted.slice(0, limit), `limit ${limit}`)
  }
})
