import assert from 'node:assert/strict'
import { test } from 'node:test'
import { caller } from '../../support/caller.ts'
import { ownerOfFile, serviceOfFile } from '../../support/service-of-file.ts'

const service = serviceOfFile()
const owner = ownerOfFile(service)

const BEGIN = 1_700_000_000_000
const NOBODY = '00000000-0000-4000-8000-000000000000'

/** A component with one stream, of IDs that are wished for, with samples 1, 2, 3 … a second apart. */
async function seed(id: string, streamId: string, count: number) {
  const component = {
    id,
    name: `of ${id}`,
    stream: [{ id: streamId, name: 's', valueType: 'DOUBLE' }],
  }
  const made = await owner('PUT', '/api/component', { component })
  assert.equal(made.status, 200, made.text)
  const { uid, stream } = made.body.component
  const time = Array.from({ length: count }, (_, at) => BEGIN + at * 1_000)
  const data = time.map((_, at) => at + 1)
  const batch = { componentUid: uid, stream: [{ streamUid: stream[0].uid, time, data }] }
  const put = await owner('PUT', '/api/feed', { feed: { component: [batch] } })
  assert.equal(put.status, 200, put.text)
  return {
    uid,
    streamUid: stream[0].uid,
    path: `/api/component/${uid}/stream/${stream[0].uid}/feed`,
  }
}

test('GET feed by UIDs answers streams whose IDs are blank, dots, slashes or percent signs', async () => {
  for (const [id, streamId] of [
    ['.', '..'],
    ['', ''],
    ['a/b', '%'],
    ['%2F', 'x y'],
  ]) {
    const { path } = await seed(id, streamId, 3)
    const { status, body, text } = await owner('GET', `${path}?retFData&limit=2`)
    assert.equal(status, 200, text)
    assert.deepEqual(body, [
      { time: BEGIN + 2_000, data: 3, fData: '3' },
      { time: BEGIN + 1_000, data: 2, fData: '2' },
    ])
  }
})

test('GET feed by UIDs leads on by UIDs, and comes as CSV', async () => {
  const { path } = await seed('paged', 'a', 3)
  const first = await owner('GET', `${path}?limit=2&format=csv`)
  assert.equal(first.text, `time,data\r\n${BEGIN + 2_000},3\r\n${BEGIN + 1_000},2\r\n`)
  const next = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
  assert.ok(next.startsWith(`${path}?`), next)
  assert.equal((await owner('GET', next)).text, `time,data\r\n${BEGIN},1\r\n`)
})

test('GET feed by UIDs returns a statistic of a cycle of any ID, and pages through further periods', async () => {
  const { path } = await seed('periods', 'a', 120)
  const cycle = {
    id: '.',
    name: 'Dotted',
    sizeType: 'MINUTE',
    count: 1,
    referenceDate: '2024-01-01',
  }
  const made = await owner('PUT', '/api/cycle', { cycle })
  assert.equal(made.status, 200, made.text)
  const first = await owner('GET', `${path}?cycle=.&stat=max&limit=1&retIntvlSd`)
  const last = Math.floor((BEGIN + 119_000) / 60_000) * 60_000
  assert.deepEqual(first.body, [{ time: last + 60_000, data: 120, sdTime: last }])
  const next = /^<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
  assert.deepEqual((await owner('GET', next)).body, [
    { time: last, data: (last - BEGIN) / 1_000, sdTime: last - 60_000 },
  ])
  for (const [query, missing] of [
    ['cycle=.', 'stat'],
    ['stat=max', 'cycle'],
  ]) {
    const { status, body } = await owner('GET', `${path}?${query}`)
    assert.equal(status, 400)
    assert.match(body.message, new RegExp(`needs "${missing}"`))
  }
})

test('DELETE feed by UIDs removes a range, and the audit log has the IDs', async () => {
  const { path, streamUid } = await seed('cut', '.', 3)
  const { status, text } = await owner('DELETE', `${path}?sd=${BEGIN + 1_000}&ed=${BEGIN + 2_000}`)
  assert.equal(status, 200, text)
  const left = (await owner('GET', path)).body
  assert.deepEqual(
    left.map(({ data }: { data: number }) => data),
    [3, 1],
  )
  const { audit } = (await owner('GET', '/api/audit')).body
  const entry = audit.find(({ act }: { act: string }) => act === 'samples_deleted')
  assert.equal(entry.target, streamUid)
  assert.match(entry.detail, /^"cut" \/ "\.", sd /)
})

test('by UIDs a stream of another component is not found, and rights are asked for first', async () => {
  const one = await seed('one', 'a', 1)
  const other = await seed('other', 'a', 1)
  const crossed = `/api/component/${one.uid}/stream/${other.streamUid}/feed`
  for (const method of ['GET', 'DELETE']) {
    const { status, body } = await owner(method, `${crossed}?sd=0&ed=1`)
    assert.deepEqual([status, body.code], [404, 'stream_not_found'])
  }
  const nobody = await owner('GET', `/api/component/${NOBODY}/stream/${NOBODY}/feed`)
  assert.deepEqual([nobody.status, nobody.body.code], [404, 'component_not_found'])
  const capabilities = [{ resource: `component/${one.uid}/feed`, methods: ['GET'] }]
  const made = await owner('PUT', '/api/api_key', { api_key: { name: 'one', capabilities } })
  const narrow = caller(service, '', { 'X-Api-Key': made.body.api_key.secretKey })
  assert.equal((await narrow('GET', one.path)).status, 200)
  assert.equal((await narrow('DELETE', `${one.path}?sd=0&ed=1`)).status, 403)
  assert.equal((await narrow('GET', other.path)).status, 403)
})

test('files are put and fetched by UIDs; nothing is created by them', async () => {
  const stream = [{ id: '.', valueType: 'FILE' }]
  const made = await owner('PUT', '/api/component', { component: { id: 'mast', stream } })
  const { uid, stream: streams } = made.body.component
  const path = `/api/component/${uid}/stream/${streams[0].uid}/feed/file`
  const headers = { 'X-Api-Key': service.feedKey, 'Content-Type': 'text/plain' }
  const send = (target: string) =>
    fetch(`${service.url}${target}/a%20b.txt`, { method: 'PUT', headers, body: 'hello' })
  const put = await send(path)
  assert.equal(put.status, 200)
  const { url, time } = (await put.json()) as { url: string; time: number }
  assert.equal(url, `${path}/${time}/a%20b.txt`)
  for (const address of [url, `${path}/whatever.txt`]) {
    const answer = await owner('GET', address)
    assert.deepEqual([answer.status, answer.text], [200, 'hello'])
  }
  const missing = await send(`/api/component/${uid}/stream/${NOBODY}/feed/file`)
  assert.equal(missing.status, 404)
  assert.equal((await owner('GET', `/api/component/${uid}/stream`)).body.totalCount, 1)
  const { path: numbers } = await seed('no files', 'a', 1)
  assert.equal((await send(`${numbers}/file`)).status, 400)
})
