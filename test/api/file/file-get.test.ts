import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { before, test } from 'node:test'
import { ManualClock } from '../../../src/base/index.ts'
import { callApi, getJson, putFile } from '../../support/file-client.ts'
import { serviceOfFile } from '../../support/service-of-file.ts'

const FILES = '/comp/c/stream/s/feed/file'
const BODY = Uint8Array.from({ length: 200_001 }, (_, index) => (index * 13 + (index >> 8)) & 0xff)
const service = serviceOfFile({ clock: new ManualClock(Date.UTC(2026, 0, 1)) })

before(async () => {
  await putFile(service, `${FILES}/old.txt?time=1000`, 'old', 'text/plain')
  await putFile(service, `${FILES}/new.bin?time=2000`, BODY, 'application/x-own')
})

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  callApi(service, path, { headers })

async function refusalOf(answer: Response): Promise<string> {
  const body = (await answer.json()) as { success: boolean; code: string }
  assert.equal(body.success, false)
  return `${answer.status} ${body.code}`
}

test('GET file gives the newest or the one at a time, whatever name is asked', async () => {
  assert.deepEqual(new Uint8Array(await (await get(`${FILES}/new.bin`)).arrayBuffer()), BODY)
  assert.deepEqual(new Uint8Array(await (await get(`${FILES}/x`)).arrayBuffer()), BODY)
  assert.equal(await (await get(`${FILES}/1000/old.txt`)).text(), 'old')
  assert.equal(await (await get(`${FILES}/1000/new.bin`)).text(), 'old')
})

test('GET file has length, type, ETag and safe headers', async () => {
  const { headers } = await get(`${FILES}/2000/new.bin`)
  const sha256 = createHash('sha256').update(BODY).digest('hex')
  assert.equal(headers.get('etag'), `"${sha256}"`)
  assert.equal(headers.get('content-length'), '200001')
  assert.equal(headers.get('content-type'), 'application/x-own')
  assert.equal(headers.get('accept-ranges'), 'bytes')
  assert.equal(headers.get('x-content-type-options'), 'nosniff')
  assert.equal(headers.get('cache-control'), 'private, no-cache')
})

test('GET file answers the disposition asked for, the parameter before the header', async () => {
  const check = async (query: string, header: string | undefined, expected: string) => {
    const headers = header === undefined ? undefined : { 'content-disposition': header }
    const answer = await get(`${FILES}/1000/x${query}`, headers)
    assert.equal(answer.headers.get('content-disposition'), expected, `${query} ${header}`)
  }
  await check('', undefined, 'inline')
  await check('?disposition=attachment', undefined, 'attachment')
  await check('', 'attachment', 'attachment')
  await check('', 'attachment; filename=x', 'attachment')
  await check('?disposition=inline', 'attachment', 'inline')
  await check('?disposition=attachment&start=0', undefined, 'attachment')
  for (const bad of [
    '?disposition=',
    '?disposition=form-data',
    '?disposition=inline&disposition=inline',
  ])
    assert.equal(await refusalOf(await get(`${FILES}/1000/x${bad}`)), '400 bad_input')
  const byHeader = await get(`${FILES}/1000/x`, { 'content-disposition': 'form-data; name=x' })
  assert.equal(await refusalOf(byHeader), '400 bad_input')
})

test('GET file with start gives base64 chunks that decode alone and join to the file', async () => {
  const chunks: Buffer[] = []
  for (let start = 0; ; start += 10_000) {
    const answer = await get(`${FILES}/2000/x?start=${start}&limit=10000`)
    assert.equal(answer.status, 200)
    const text = await answer.text()
    if (text === '') break
    assert.match(text, /^[A-Za-z0-9+/]+=?=?$/)
    chunks.push(Buffer.from(text, 'base64'))
  }
  assert.equal(chunks.length, 21)
  assert.deepEqual(new Uint8Array(Buffer.concat(chunks)), BODY)
})

test('GET file: limit counts only with start, and is not capped', async () => {
  const whole = await (await get(`${FILES}/2000/x?start=0`)).text()
  assert.equal(whole, Buffer.from(BODY).toString('base64'))
  const long = await (await get(`${FILES}/2000/x?start=1&limit=99999999`)).text()
  assert.equal(long, Buffer.from(BODY).toString('base64', 1))
  assert.equal((await (await get(`${FILES}/2000/x?limit=5`)).arrayBuffer()).byteLength, BODY.length)
  for (const past of ['200001', '200002', '99999999999999999999'])
    assert.equal(await (await get(`${FILES}/2000/x?start=${past}`)).text(), '')
  assert.equal(await (await get(`${FILES}/2000/x?start=0&limit=0`)).text(), '')
})

test('GET file refuses start and limit that are negative or no numbers', async () => {
  for (const bad of ['start=-1', 'start=x', 'start=', 'start=1.5', 'start=1&start=2'])
    assert.equal(await refusalOf(await get(`${FILES}/2000/x?${bad}`)), '400 bad_input', bad)
  for (const bad of ['start=0&limit=-1', 'start=0&limit=x', 'limit=-1', 'start=0&limit='])
    assert.equal(await refusalOf(await get(`${FILES}/2000/x?${bad}`)), '400 bad_input', bad)
})

test('GET file serves ranges', async () => {
  const check = async (range: string, from: number, until: number) => {
    const answer = await get(`${FILES}/2000/x`, { range })
    assert.equal(answer.status, 206, range)
    assert.equal(answer.headers.get('content-range'), `bytes ${from}-${until - 1}/200001`)
    assert.equal(answer.headers.get('content-length'), String(until - from))
    assert.deepEqual(new Uint8Array(await answer.arrayBuffer()), BODY.subarray(from, until))
  }
  await check('bytes=0-0', 0, 1)
  await check('bytes=131000-140000', 131000, 140001)
  await check('bytes=200000-', 200000, 200001)
  await check('bytes=-7', 199994, 200001)
  const beyond = await get(`${FILES}/2000/x`, { range: 'bytes=200001-' })
  assert.equal(beyond.headers.get('content-range'), 'bytes */200001')
  assert.equal(await refusalOf(beyond), '416 range_not_satisfiable')
})

test('GET file answers 304 to If-None-Match, and honours If-Range', async () => {
  const etag = (await get(`${FILES}/1000/x`)).headers.get('etag') ?? ''
  const unchanged = await get(`${FILES}/1000/x`, { 'if-none-match': `"other", ${etag}` })
  assert.equal(unchanged.status, 304)
  assert.equal(unchanged.headers.get('etag'), etag)
  assert.equal(await unchanged.text(), '')
  assert.equal((await get(`${FILES}/1000/x`, { 'if-none-match': '"other"' })).status, 200)
  const range = 'bytes=0-0'
  assert.equal((await get(`${FILES}/1000/x`, { range, 'if-range': etag })).status, 206)
  assert.equal((await get(`${FILES}/1000/x`, { range, 'if-range': '"other"' })).status, 200)
})

test('pages of other origins may ask for ranges and read the headers of a file', async () => {
  const origin = 'https://elsewhere.example'
  const got = await get(`${FILES}/1000/x`, { origin })
  const exposed = (got.headers.get('access-control-expose-headers') ?? '').split(', ')
  for (const name of ['ETag', 'Content-Range', 'Content-Disposition', 'Accept-Ranges'])
    assert.ok(exposed.includes(name), name)
  const preflight = await fetch(`${service.url}/api${FILES}/1000/x`, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'GET' },
  })
  const allowed = (preflight.headers.get('access-control-allow-headers') ?? '').split(', ')
  const ofFiles = ['Range', 'If-Range', 'If-None-Match', 'Content-Disposition']
  for (const name of [...ofFiles, 'Weir-Otp', 'Last-Event-ID']) {
    assert.ok(allowed.includes(name), name)
  }
})

test('HEAD of a file answers the headers of GET without the body', async () => {
  const answer = await callApi(service, `${FILES}/2000/x`, { method: 'HEAD' })
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('content-length'), '200001')
  assert.equal(await answer.text(), '')
})

test('GET file of what is not there is a 404 that says what', async () => {
  assert.equal(
    await refusalOf(await get('/comp/no/stream/s/feed/file/x')),
    '404 component_not_found',
  )
  assert.equal(await refusalOf(await get('/comp/c/stream/no/feed/file/x')), '404 stream_not_found')
  assert.equal(await refusalOf(await get(`${FILES}/1500/x`)), '404 file_not_found')
  await callApi(service, '/feed?compId=values&number=5&time=1000', { method: 'PUT' })
  const numbers = '/comp/values/stream/number/feed/file'
  assert.equal(await refusalOf(await get(`${numbers}/x`)), '404 file_not_found')
  assert.equal(await refusalOf(await get(`${numbers}/1000/x`)), '404 file_not_found')
  assert.equal(await refusalOf(await get(`${FILES}/abc/x`)), '400 bad_input')
  assert.equal(await refusalOf(await get(`${FILES}/1.5/x`)), '400 bad_input')
})

test('GET feed and last_value list times and URLs of files', async () => {
  const listed = [
    { time: 2000, data: `/api${FILES}/2000/new.bin` },
    { time: 1000, data: `/api${FILES}/1000/old.txt` },
  ]
  assert.deepEqual(await getJson(service, '/comp/c/stream/s/feed'), listed)
  assert.deepEqual(await getJson(service, '/comp/c/feed'), listed)
  assert.deepEqual(await getJson(service, '/comp/c/last_value'), [listed[0]])
  assert.deepEqual(await getJson(service, '/comp/c/stream/s/last_value'), [listed[0]])
})

test('GET feed of a file lists a URL that leads to it, whatever the IDs and the name hold', async () => {
  const part = encodeURIComponent
  const path = `/comp/${part('a/b c,[0]')}/stream/${part('ü:%')}/feed/file/${part('50% ?#"é.txt')}`
  const put = await putFile(service, path, 'odd', 'text/plain')
  const [sample] = (await getJson(service, `/comp/${part('a/b c,[0]')}/feed`)) as { data: string }[]
  assert.equal(sample.data, put.url)
  assert.equal(await (await get(sample.data.slice(4))).text(), 'odd')
})
