import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { callApi, countBodies, openSocket, putFile } from '../../support/file-client.ts'
import { sendRaw } from '../../support/raw-http.ts'
import { serviceOfFile } from '../../support/service-of-file.ts'

const BYTES_MAX = 100_000
const service = serviceOfFile({ settings: { WEIR_FILE_BYTES_MAX: String(BYTES_MAX) } })

/** PUTs to a component that does not exist and checks that the refusal left no trace. */
async function checkRefused(
  what: { path?: string; init: RequestInit },
  expected: { status: number; message: RegExp },
): Promise<void> {
  const bodies = countBodies(service.dataDir)
  const path = what.path ?? '/comp/none/stream/s/feed/file/f.txt'
  const answer = await callApi(service, path, { method: 'PUT', ...what.init })
  const body = (await answer.json()) as { success: boolean; message: string }
  assert.equal(answer.status, expected.status, JSON.stringify(body))
  assert.equal(body.success, false)
  assert.match(body.message, expected.message)
  assert.equal(countBodies(service.dataDir), bodies, 'no body is kept')
  assert.equal((await callApi(service, '/comp/none/feed')).status, 404, 'nothing is created')
}

const form = (...names: readonly string[]): RequestInit => {
  const body = new FormData()
  for (const name of names) body.append(name, new File(['content'], 'x.txt'))
  return { body }
}

test('PUT file refuses forms without exactly one file in the field file', async () => {
  await checkRefused({ init: form() }, { status: 400, message: /field "file" is missing/ })
  await checkRefused({ init: form('data') }, { status: 400, message: /field "file" is missing/ })
  await checkRefused({ init: form('file', 'file') }, { status: 400, message: /one file only/ })
  const headers = { 'content-type': 'multipart/form-data' }
  await checkRefused({ init: { headers, body: 'x' } }, { status: 400, message: /boundary/ })
  await checkRefused({ init: {} }, { status: 400, message: /no file/i })
})

test('PUT file refuses a part of a file, as clients send it that go on with an upload', async () => {
  for (const range of ['bytes 5-9/10', 'bytes 0-4/10', 'bytes 0-4/*', 'bytes */10', 'x']) {
    const headers = { 'content-type': 'text/plain', 'content-range': range }
    await checkRefused(
      { init: { headers, body: 'tail!' } },
      { status: 400, message: /part of a file/ },
    )
  }
})

test('PUT file refuses names that are paths, hold control characters or are too long', async () => {
  for (const [name, message] of [
    ['..%2Fsecret', /"\.\."/],
    ['a..b', /"\.\."/],
    ['a%2Fb', /"\/"/],
    ['a%0Ab', /control/],
    ['a%00', /control/],
    ['a'.repeat(300), /300 characters/],
  ] as const) {
    const path = `/comp/none/stream/s/feed/file/${name}`
    await checkRefused({ path, init: { body: 'x' } }, { status: 400, message })
  }
  const { status } = await sendRaw(
    service.port,
    `PUT /api/comp/none/stream/s/feed/file/..?api_key=${service.feedKey} HTTP/1.1\r\nHost: x\r\n` +
      'Connection: close\r\nContent-Type: text/plain\r\nContent-Length: 1\r\n\r\nx',
  )
  assert.equal(status, 400)
})

test('PUT file refuses times that are none', async () => {
  for (const time of ['x', '1.5', '', '99999999999999999', '1&time=2']) {
    const path = `/comp/none/stream/s/feed/file/f?time=${time}`
    await checkRefused({ path, init: { body: 'x' } }, { status: 400, message: /time/ })
  }
})

test('PUT file refuses folders, templates and streams that cannot be', async () => {
  const put = (query: string) => ({
    path: `/comp/none/stream/s/feed/file/f?${query}`,
    init: { body: 'x' },
  })
  await checkRefused(put('folder=/Elsewhere'), { status: 400, message: /\/Components/ })
  await checkRefused(put('compTmplId=unknown'), { status: 404, message: /unknown/ })
  await checkRefused(put('dtId=a'), { status: 400, message: /dsId/ })
  await checkRefused(put('dtId=a&dsId=b'), { status: 404, message: /a/ })
  const blank = { path: '/comp/%20/stream/s/feed/file/f', init: { body: 'x' } }
  await checkRefused(blank, { status: 400, message: /blank/ })
})

test('PUT file refuses one byte over the limit while it streams, raw, form, chunked and gzip', async () => {
  await putFile(service, '/comp/fits/stream/s/feed/file/f', 'x'.repeat(BYTES_MAX))
  const over = 'x'.repeat(BYTES_MAX + 1)
  const big = { status: 413, message: /At most 100000 bytes/ }
  await checkRefused({ init: { body: over } }, big)
  const body = new FormData()
  body.append('file', new File([over], 'big'))
  await checkRefused({ init: { body } }, big)
  const headers = { 'content-encoding': 'gzip' }
  await checkRefused({ init: { headers, body: gzipSync(Buffer.alloc(50_000_000)) } }, big)
})

test('PUT file answers 413 before the sender is done', async () => {
  const socket = await openSocket(service.port)
  socket.write(
    `PUT /api/comp/none/stream/s/feed/file/f?api_key=${service.feedKey} HTTP/1.1\r\n` +
      'Host: x\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n',
  )
  const chunk = 'x'.repeat(60_000)
  for (let sent = 0; sent < 2; sent += 1) socket.write(`ea60\r\n${chunk}\r\n`)
  const [answer] = await once(socket, 'data')
  assert.match(String(answer), /^HTTP\/1\.1 413 /)
  socket.destroy()
})

test('an upload that breaks off leaves nothing', async () => {
  const bodies = countBodies(service.dataDir)
  for (const head of [
    'Content-Type: text/plain\r\nContent-Length: 90000',
    'Content-Type: text/plain\r\nTransfer-Encoding: chunked',
    'Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 90000',
  ]) {
    const socket = await openSocket(service.port)
    socket.write(
      `PUT /api/comp/none/stream/s/feed/file/f?api_key=${service.feedKey} HTTP/1.1\r\nHost: x\r\n${head}\r\n\r\n`,
    )
    if (head.includes('chunked')) socket.write('5dc\r\n')
    if (head.includes('multipart'))
      socket.write('--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n')
    socket.write('y'.repeat(1500))
    await waitFor(() => countBodies(service.dataDir) === bodies + 1)
    socket.destroy()
    await waitFor(() => countBodies(service.dataDir) === bodies)
  }
  assert.equal((await callApi(service, '/comp/none/feed')).status, 404)
})

/** Polls until the condition holds. */
async function waitFor(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5))
}
