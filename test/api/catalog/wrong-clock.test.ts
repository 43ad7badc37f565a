import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FeedClient } from '../../support/feed-client.ts'
import { onCluster, startService } from '../../support/service.ts'

// Machines without a battery wake up in 1970 or when their image was built; a typing error sets 2095.
for (const year of [1970, 2016, 2095]) {
  test(`what is created while the clock says ${year} is kept and goes on when it is right`, {
    skip: onCluster('a cluster refuses to assign times by a clock that is wrong'),
  }, async (t) => {
    const now = Date.now.bind(Date)
    const ahead = Date.UTC(year, 1, 11) - now()
    const wrong = t.mock.method(Date, 'now', () => now() + ahead)
    const service = await startService()
    t.after(() => service.close())
    const client = new FeedClient(service)
    const fleet = Array.from({ length: 40 }, (_, at) => `fleet${at}`)
    const time = 1_700_000_000_000
    const samples = fleet.map((compId) => ({ compId, streamId: 'v', time, data: 7 }))
    const check = async (streams: readonly string[]) => {
      const { text } = await client.call('GET', '/comp/one/last_value?retStreamId')
      const reply = JSON.parse(text) as { streamId: string }[]
      assert.deepEqual(reply.map(({ streamId }) => streamId).toSorted(), streams)
      const { text: last } = await client.call('GET', '/comp/fleet39/last_value')
      assert.deepEqual(JSON.parse(last), [{ time, data: 7 }])
    }
    const take = async (query: string) => {
      const { status, text } = await client.put(query)
      assert.equal(status, 200, text)
    }

    await take(`compId=one&a=1&time=${time}`)
    await take(`compId=one&b=1&time=${time}`)
    const { status, text } = await client.putJson(samples)
    assert.equal(status, 200, text)
    await check(['a', 'b'])
    await service.restart()
    await check(['a', 'b'])

    wrong.mock.restore()
    await service.restart()
    await take(`compId=one&c=1&time=${time}`)
    await take(`compId=two&a=1&time=${time}`)
    await check(['a', 'b', 'c'])
    const ready = await fetch(`${service.url}/readyz`)
    assert.deepEqual(await ready.json(), { status: 'ready' })
  })
}
