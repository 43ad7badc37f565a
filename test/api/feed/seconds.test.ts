import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FeedClient } from '../../support/feed-client.ts'
import { serviceOfFile } from '../../support/service-of-file.ts'

const service = serviceOfFile()
const client = new FeedClient(service)
const SECONDS = 1_700_000_000
const TOLD =
  'stream "s" of component "c": time 1700000000 looks like seconds but is stored as milliseconds: 1970-01-20'

test('a time that looks like seconds is stored as sent, and every form of a put says so', async () => {
  const url = await client.put(`compId=c&s=1&time=${SECONDS}`)
  assert.deepEqual([url.status, url.text], [200, ''])
  assert.equal(url.headers.get('Weir-Warning'), TOLD)
  const two = [SECONDS, SECONDS + 60]
  const json = await client.putJson(
    two.map((time) => ({ compId: 'c', streamId: 's', time, data: 2 })),
  )
  assert.equal(json.headers.get('Weir-Warning'), TOLD, 'once for a stream')
  const batch = await client.putJson({
    feed: {
      component: [{ componentId: 'c', stream: [{ streamId: 's', time: two, data: [3, 4] }] }],
    },
  })
  assert.equal(batch.headers.get('Weir-Warning'), TOLD)
  assert.deepEqual(await client.get('c', 's'), [
    [SECONDS + 60, 4],
    [SECONDS, 3],
  ])
  const rsid = await client.put(`compId=c&s=1&time=${SECONDS}&rsid=s`)
  assert.equal(rsid.headers.get('Weir-Warning'), TOLD)
})

test('times that cannot be seconds cause no warning', async () => {
  for (const time of [0, 1, -SECONDS, 978_307_199, 9_214_646_400, 157_766_400_000, Date.now()]) {
    const { status, headers } = await client.put(`compId=plain&s=1&time=${time}`)
    assert.deepEqual([status, headers.get('Weir-Warning')], [200, null], String(time))
  }
  for (const time of [978_307_200, 9_214_646_399]) {
    const { headers } = await client.put(`compId=plain&s=1&time=${time}`)
    assert.match(headers.get('Weir-Warning') ?? '', /looks like seconds/, String(time))
  }
})

test('a put over many streams names some and counts the rest', async () => {
  const samples = Array.from({ length: 40 }, (_, at) => ({
    compId: 'wide, "ä"',
    streamId: `s${at}`,
    time: SECONDS,
    data: at,
  }))
  const { headers } = await client.putJson(samples)
  const warnings = (headers.get('Weir-Warning') ?? '').split(', ')
  assert.equal(warnings.length, 7)
  assert.match(warnings[0], /^stream "s0" of component "wide; \\"\?\\"": time 1700000000 looks/)
  assert.equal(warnings[6], '34 more streams have times that look like seconds')
})

test('a file causes the same events as a sample', async () => {
  const form = new FormData()
  form.append('file', new Blob(['x']), 'x.txt')
  const path = `/comp/c/stream/file/feed/file/x.txt?time=${SECONDS}`
  const { headers, status } = await client.call('PUT', path, { body: form })
  assert.equal(status, 200)
  assert.match(
    headers.get('Weir-Warning') ?? '',
    /^stream "file" of component "c": time 1700000000/,
  )
})
