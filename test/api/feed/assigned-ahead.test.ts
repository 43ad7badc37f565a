import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { ManualClock } from '../../../src/base/index.ts'
import { signIn } from '../../support/caller.ts'
import { type FeedAnswer, FeedClient } from '../../support/feed-client.ts'
import { onCluster, startService } from '../../support/service.ts'

const NOON = Date.UTC(2026, 0, 15, 12)
const HOUR = 3_600_000

/** A service whose clock was an hour ahead while some samples were put, and is right now. */
async function setUp(t: TestContext) {
  const clock = new ManualClock(NOON + HOUR)
  const service = await startService({ clock })
  t.after(() => service.close())
  const client = new FeedClient(service)
  const forms: Record<string, () => Promise<FeedAnswer>> = {
    url: () => client.put('compId=c&s=1'),
    rsid: () => client.put('compId=c&s=1&rsid=s'),
    asPut: () => client.call('GET', '/feed?asPut&compId=c&s=1'),
    json: () => client.putJson([{ compId: 'c', streamId: 's', data: 1 }]),
    batch: () =>
      client.putJson({
        feed: { component: [{ componentId: 'c', stream: [{ streamId: 's', data: [1] }] }] },
      }),
    file: () =>
      client.call('PUT', '/comp/c/stream/f/feed/file/a', {
        body: 'x',
        headers: { 'Content-Type': 'text/plain' },
      }),
  }
  const warningOf = async (form: keyof typeof forms) => {
    const { status, headers, text } = await forms[form]()
    assert.equal(status, 200, text)
    return headers.get('Weir-Warning')
  }
  for (const form of Object.keys(forms)) assert.equal(await warningOf(form), null, form)
  clock.jump(-HOUR)
  return { client, forms: Object.keys(forms), service, warningOf }
}

test('a put without a time says how far ahead of the clock its sample is stored, in every form', async (t) => {
  const { client, forms, warningOf } = await setUp(t)
  for (const form of forms) {
    const stream = form === 'file' ? 'f' : 's'
    assert.equal(
      await warningOf(form),
      `stream "${stream}" of component "c": the server assigned a time 3600 s ahead of its clock because ` +
        'earlier samples are in the future. Delete the samples after 2026-01-15T12:00:00.000Z to get current times again',
      form,
    )
  }
  const timed = await client.put(`compId=c&s=1&time=${NOON}`)
  assert.equal(timed.headers.get('Weir-Warning'), null)
})

test('once the samples in the future are deleted, puts get current times without a warning', async (t) => {
  const { client, service, warningOf } = await setUp(t)
  const session = await signIn(service, service.ownerEmail, service.ownerPassword)
  for (const [stream, form] of Object.entries({ s: 'url', f: 'file' })) {
    const path = `/comp/c/stream/${stream}/feed?sd=${NOON}&ed=${NOON + 24 * HOUR}&${session}`
    const { status, text } = await client.call('DELETE', path)
    assert.equal(status, 200, text)
    assert.equal(await warningOf(form), null)
    assert.equal((await client.get('c', stream))[0][0], NOON)
  }
})

test('quick puts and a long put without times get no warning', {
  skip: onCluster(
    'a cluster assigns times up to 15 ms after the arrival, and 16 ms apart in a call',
  ),
}, async (t) => {
  const clock = new ManualClock(NOON)
  const service = await startService({ clock })
  t.after(() => service.close())
  const client = new FeedClient(service)
  for (let at = 0; at < 20; at += 1) {
    assert.equal((await client.put('compId=c&s=1')).headers.get('Weir-Warning'), null)
  }
  const rows = Array.from({ length: 3_000 }, () => ({ compId: 'c', streamId: 's', data: 1 }))
  const long = await client.putJson(rows)
  assert.deepEqual([long.status, long.headers.get('Weir-Warning')], [200, null])
  // It has left the stream three seconds ahead.
  assert.match(
    (await client.put('compId=c&s=1')).headers.get('Weir-Warning') ?? '',
    /time 3 s ahead of its clock/,
  )
})
