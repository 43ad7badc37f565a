import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { FormData, fetch as undiciFetch } from 'undici'
import { ManualClock } from '../../../src/base/index.ts'
import { callApi, countBodies, getJson, putFile } from '../../support/file-client.ts'
import { sendRaw } from '../../support/raw-http.ts'
import { serviceOfFile } from '../../support/service-of-file.ts'

const START = Date.UTC(2026, 0, 1)
const clock = new ManualClock(START)
const service = serviceOfFile({ clock })

const fileText = async (url: string): Promise<string> =>
  (await callApi(service, url.slice('/api'.length))).text()

/** A form as curl writes it. */
function curlForm(body: string, boundary: string): string {
  return (
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="on disk.txt"\r\n` +
    `Content-Type: text/plain; charset=utf-8\r\n\r\n${body}\r\n--${boundary}--\r\n`
  )
}

test('PUT file takes the form that curl sends, byte for byte', async () => {
  const boundary = '------------------------d74496d66958873e'
  const form = curlForm('hello\r\n--not a boundary', boundary)
  const { status, headers, body } = await sendRaw(
    service.port,
    `PUT /api/comp/curl/stream/docs/feed/file/a%20b.txt?time=1700000000000&api_key=${service.feedKey} HTTP/1.1\r\n` +
      `Host: localhost\r\nUser-Agent: curl/7.88.1\r\nAccept: */*\r\nConnection: close\r\n` +
      `Content-Length: ${form.length}\r\n` +
      `Content-Type: multipart/form-data; boundary=${boundary}\r\n\r\n${form}`,
  )
  assert.equal(status, 200, body)
  assert.match(headers['content-type'], /^application\/json/)
  const url = '/api/comp/curl/stream/docs/feed/file/1700000000000/a%20b.txt'
  assert.equal(body, `{"success":true,"message":"","time":1700000000000,"url":"${url}"}`)
  const stored = await callApi(service, url.slice(4))
  assert.equal(stored.headers.get('content-type'), 'text/plain; charset=utf-8')
  assert.equal(await stored.text(), 'hello\r\n--not a boundary')
})

test('PUT file takes the form of undici FormData, any bytes', async () => {
  const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => (index * 7) & 0xff)
  const form = new FormData()
  form.append('file', new File([bytes], 'photo.png', { type: 'image/png' }))
  const path = `${service.url}/api/comp/undici/stream/p/feed/file/photo.png?api_key=${service.feedKey}`
  const answer = await undiciFetch(path, { method: 'PUT', body: form })
  assert.equal(answer.status, 200)
  const { url } = (await answer.json()) as { url: string }
  const stored = await callApi(service, url.slice(4))
  assert.equal(stored.headers.get('content-type'), 'image/png')
  assert.deepEqual(new Uint8Array(await stored.arrayBuffer()), bytes)
})

test('PUT file takes a raw body of any type, an empty one too', async () => {
  for (const [type, body] of [
    ['application/json', '{"a":1}'],
    ['application/x-www-form-urlencoded', 'a=1&b=2'],
    ['text/x-very-own; v=1', 'own'],
    ['text/plain', ''],
  ]) {
    const { url } = await putFile(service, '/comp/raw/stream/r/feed/file/f', body, type)
    const stored = await callApi(service, url.slice(4))
    assert.equal(stored.headers.get('content-type'), type)
    assert.equal(await stored.text(), body)
  }
})

test('PUT file keeps a type that is none as application/octet-stream', async () => {
  for (const type of ['bad type', 'x', 'text/', '/', 'a/b/c', 'text/plain, text/html']) {
    const { url } = await putFile(service, '/comp/raw/stream/r/feed/file/f', 'body', type)
    const stored = await callApi(service, url.slice(4))
    assert.equal(stored.headers.get('content-type'), 'application/octet-stream', type)
    assert.equal(await stored.text(), 'body')
  }
})

test('PUT file takes a type that is blank as none', async () => {
  const put = (body: string) =>
    sendRaw(
      service.port,
      `PUT /api/comp/raw/stream/r/feed/file/f?api_key=${service.feedKey} HTTP/1.1\r\nHost: x\r\n` +
        `Connection: close\r\nContent-Type: \r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
  const { status, body } = await put('body')
  assert.equal(status, 200, body)
  const stored = await callApi(service, JSON.parse(body).url.slice(4))
  assert.equal(stored.headers.get('content-type'), 'application/octet-stream')
  assert.equal(await stored.text(), 'body')
  assert.equal((await put('')).status, 400)
})

test('PUT file takes a file that says it is all of itself', async () => {
  const path = '/comp/raw/stream/r/feed/file/f'
  const headers = { 'content-type': 'text/plain', 'content-range': 'bytes 0-3/4' }
  const { status } = await callApi(service, path, { method: 'PUT', headers, body: 'body' })
  assert.equal(status, 200)
})

test('PUT file inflates a compressed body, raw or form', async () => {
  const form = curlForm('inflated form', 'bb')
  for (const [type, body, expected] of [
    ['text/plain', 'inflated raw', 'inflated raw'],
    ['multipart/form-data; boundary=bb', form, 'inflated form'],
  ]) {
    const headers = { 'content-type': type, 'content-encoding': 'gzip' }
    const init = { method: 'PUT', headers, body: gzipSync(body) }
    const answer = await callApi(service, '/comp/gzip/stream/g/feed/file/f', init)
    assert.equal(answer.status, 200, await answer.clone().text())
    const { url } = (await answer.json()) as { url: string }
    assert.equal(await fileText(url), expected)
  }
})

test('PUT file at the same time replaces the file and leaves one body', async () => {
  const path = '/comp/replace/stream/r/feed/file/a.txt?time=1700000000000'
  await putFile(service, path, 'first')
  const bodies = countBodies(service.dataDir)
  const { url } = await putFile(service, path.replace('a.txt', 'b.txt'), 'second')
  assert.equal(countBodies(service.dataDir), bodies)
  assert.deepEqual(await getJson(service, '/comp/replace/stream/r/feed'), [
    { time: 1700000000000, data: url },
  ])
  assert.equal(await fileText(url), 'second')
})

test('PUT file many times at once at the same time leaves one sample and one body', async () => {
  const path = '/comp/race/stream/r/feed/file/a.txt?time=1700000000000'
  const bodies = countBodies(service.dataDir)
  await Promise.all(Array.from({ length: 12 }, (_, index) => putFile(service, path, `${index}`)))
  assert.equal(countBodies(service.dataDir), bodies + 1)
  const samples = (await getJson(service, '/comp/race/stream/r/feed')) as { data: string }[]
  assert.equal(samples.length, 1)
  assert.match(await fileText(samples[0].data), /^\d+$/)
})

test('PUT file without a time gets one of its own, however quick the next', async () => {
  const times: number[] = []
  for (const body of ['a', 'b', 'c'])
    times.push((await putFile(service, '/comp/quick/stream/q/feed/file/f', body)).time)
  assert.deepEqual(times, [START, START + 1, START + 2])
  assert.equal(await fileText('/api/comp/quick/stream/q/feed/file/anything'), 'c')
})

test('PUT file creates a random FILE stream, in an existing component too', async () => {
  const init = { method: 'PUT' }
  await callApi(service, '/feed?compId=mixed&temperature=20', init)
  await putFile(service, '/comp/mixed/stream/photo/feed/file/p.png', 'png')
  const list = (await getJson(service, '/comp/mixed/feed?retStreamId')) as { streamId: string }[]
  assert.deepEqual(
    list.map(({ streamId }) => streamId),
    ['temperature', 'photo'],
  )
})

test('a stream of files takes no other values, and a stream of values no files', async () => {
  await putFile(service, '/comp/typed/stream/f/feed/file/a', 'a')
  for (const path of ['/feed?compId=typed&f=text', '/feed?compId=typed&f=5']) {
    const answer = await callApi(service, path, { method: 'PUT' })
    assert.equal(answer.status, 400)
    assert.match(((await answer.json()) as { message: string }).message, /file/i)
  }
  await callApi(service, '/feed?compId=typed&number=5', { method: 'PUT' })
  const bodies = countBodies(service.dataDir)
  const path = '/comp/typed/stream/number/feed/file/a'
  const answer = await callApi(service, path, { method: 'PUT', body: 'x' })
  assert.equal(answer.status, 400)
  assert.match(((await answer.json()) as { message: string }).message, /DOUBLE/)
  assert.equal(countBodies(service.dataDir), bodies)
})
