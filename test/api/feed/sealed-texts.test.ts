/** Texts that look like numbers, read over HTTP once they are sealed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../../src/base/index.ts'
import { caller, signIn } from '../../support/caller.ts'
import { FeedClient, pathOf } from '../../support/feed-client.ts'
import { serviceOfFile } from '../../support/service-of-file.ts'

const NOW = 1_700_000_000_000
const clock = new ManualClock(NOW)
const service = serviceOfFile({ clock })
const client = new FeedClient(service)

async function lastValue(compId: string, streamId?: string): Promise<unknown[]> {
  const { status, text } = await client.call('GET', `${pathOf(compId, streamId)}/last_value`)
  assert.equal(status, 200, text)
  return JSON.parse(text).map(({ data }: { data: unknown }) => data)
}

const TEXTS = ['42', '5.0', '1e5', ' 5', '+5', '.5', '0x1', '1e400', '-0']

test('a stream of texts answers as before once texts like numbers are sealed', async (t) => {
  for (const [at, text] of TEXTS.entries()) {
    const compId = `texts${at}`
    assert.equal((await client.put(`compId=${compId}&state=on`)).status, 200)
    clock.advance(1)
    // More samples than a row decodes as quickly as it reads its last value.
    const samples = Array.from({ length: 20 }, () => ({ compId, streamId: 'state', data: text }))
    for (const sample of samples) {
      clock.advance(1)
      assert.equal((await client.putJson([sample])).status, 200)
    }
  }
  await service.sealAndRestart()
  for (const [at, text] of TEXTS.entries()) {
    await t.test(`"${text}"`, async () => {
      const compId = `texts${at}`
      const encoded = encodeURIComponent(text)
      assert.deepEqual(await lastValue(compId, 'state'), [text])
      assert.deepEqual(await lastValue(compId), [text])
      const reply = await client.put(`compId=${compId}&other=1&rsid=state`)
      assert.deepEqual([reply.status, JSON.parse(reply.text)], [200, { state: text }])
      clock.advance(1)
      assert.equal((await client.put(`compId=${compId}&state=${encoded}`)).status, 200)
      assert.deepEqual(await client.get(compId, 'state', 'limit=1'), [[clock.now(), text]])
      assert.equal((await client.get(compId, 'state')).length, 22)
    })
  }
})

test('a BIG_DECIMAL stream answers with every digit once it is sealed', async () => {
  const owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
  const stream = [{ id: 'd', valueType: 'BIG_DECIMAL' }]
  const component = { id: 'decimals', name: 'decimals', stream }
  assert.equal((await owner('PUT', '/api/component', { component })).status, 200)
  const values = ['9007199254740993', '0.10000000000000000000000000001', '-5', '1e5']
  for (const value of values) {
    clock.advance(1)
    const sample = { compId: 'decimals', streamId: 'd', data: value }
    assert.equal((await client.putJson([sample])).status, 200)
    const before = (await client.call('GET', `${pathOf('decimals', 'd')}/last_value`)).text
    await service.sealAndRestart()
    const after = (await client.call('GET', `${pathOf('decimals', 'd')}/last_value`)).text
    assert.equal(after, before)
    assert.equal((await client.get('decimals', 'd', 'limit=1'))[0][0], clock.now())
  }
})
