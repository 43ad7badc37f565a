/** Replays, byte for byte over a socket, how devices in the field speak to such a service. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { ManualClock } from '../../../src/base/index.ts'
import { sendRaw } from '../../support/raw-http.ts'
import { serviceOfFile } from '../../support/service-of-file.ts'

const NOW = 1_700_000_000_000

const service = serviceOfFile({ clock: new ManualClock(NOW) })
let key = ''

before(async () => {
  key = service.feedKey
})

/** Sends lines as a request; the server closes because the request asks for it. */
function send(lines: readonly string[], body: string | Uint8Array = '') {
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  return sendRaw(service.port, Buffer.concat([head, Buffer.from(body)]))
}

async function lastValue(compId: string, streamId: string): Promise<string> {
  const path = `/api/comp/${encodeURIComponent(compId)}/stream/${encodeURIComponent(streamId)}`
  const url = `${path}/last_value?api_key=${key}`
  const { body } = await send([`GET ${url} HTTP/1.1`, 'Host: x', 'Connection: close'])
  return body
}

/** A put that a device accepts: status line, an empty body of no type, the connection closed. */
async function checkStored(lines: readonly string[], expected: string): Promise<void> {
  const answer = await send(lines)
  assert.match(answer.text, /^HTTP\/1\.1 200 OK\r\n/)
  assert.equal(answer.body, '')
  assert.equal(answer.headers['content-length'], '0')
  assert.equal(answer.headers['content-type'], undefined)
  assert.equal(answer.headers.connection, 'close')
  assert.equal(await lastValue('dev', 'a'), expected)
}

test('PUT with a JSON content type and an empty body is the URL form', async () => {
  const head = ['Host: h', 'Content-Type: application/json', 'Content-Length: 0']
  await checkStored(
    [
      `PUT /api/feed?compId=dev&a=1&time=1001&api_key=${key} HTTP/1.1`,
      ...head,
      'Connection: close',
    ],
    '[{"time":1001,"data":1}]',
  )
})

test('requests sent ahead on one connection are served one after another', async () => {
  const body = '[{"compId":"ahead","streamId":"b","data":2,"time":1}]'
  const sent = [
    `PUT /api/feed?compId=ahead&a=1&time=1&api_key=${key} HTTP/1.1\r\nHost: x\r\n\r\n`,
    `GET /api/comp/ahead/feed?api_key=${key} HTTP/1.1\r\nHost: x\r\n\r\n`,
    `PUT /api/feed?api_key=${key} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    `GET /api/comp/ahead/property?name&api_key=${key} HTTP/1.1\r\nHost: x\r\n\r\n`,
    `GET /api/comp/ahead/feed?api_key=${key} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
  ]
  const { text } = await sendRaw(service.port, sent.join(''))
  const answers = text.split(/(?=HTTP\/1\.1 )/).map((answer) => answer.split('\r\n\r\n')[1])
  const name = '[{"message":"","component":{"name":"ahead"},"success":true}]'
  const [a, b] = ['{"time":1,"data":1}', '{"time":1,"data":2}']
  assert.deepEqual(answers, ['', `[${a}]`, '', name, `[${a},${b}]`])
})

test('a client that closes its side gets 102 and then the answer of a long read', async () => {
  const ids = Array.from({ length: 3_000 }, (_, at) => `s${at}=1`).join('&')
  await send([`PUT /api/feed?compId=wide&${ids}&api_key=${key} HTTP/1.1`, 'Connection: close'])
  const path = `/api/comp/wide/feed?sd=1&ed=2&api_key=${key}`
  const sent = `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
  const { text } = await sendRaw(service.port, sent, { isEnding: true })
  assert.match(text, /^(?:HTTP\/1\.1 102 Processing\r\n\r\n)+HTTP\/1\.1 200 OK\r\n.*\r\n\[\]$/s)
})

test('PUT with a form content type and an empty body is the URL form', async () => {
  const type = 'Content-Type: application/x-www-form-urlencoded'
  await checkStored(
    [
      `PUT /api/feed?compId=dev&a=2&time=1002&api_key=${key} HTTP/1.1`,
      'Host: h',
      type,
      'Content-Length: 0',
      'Connection: close',
    ],
    '[{"time":1002,"data":2}]',
  )
})

test('PUT without Content-Length and Transfer-Encoding is the URL form', async () => {
  await checkStored(
    [
      `PUT /api/feed?compId=dev&a=3&time=1003&api_key=${key} HTTP/1.1`,
      'Host: h',
      'Content-Type: application/json',
      'Connection: close',
    ],
    '[{"time":1003,"data":3}]',
  )
})

test('PUT with a query that starts with an ampersand and an empty Host is served', async () => {
  await checkStored(
    [
      `PUT /api/feed?&compId=dev&a=4&time=1004&api_key=${key} HTTP/1.1`,
      'Host:',
      'Connection: close',
    ],
    '[{"time":1004,"data":4}]',
  )
})

test('PUT with a tight cookie and a MAC in X-Forwarded-For is served', async () => {
  await checkStored(
    [
      'PUT /api/feed?compId=dev&a=5&time=1005 HTTP/1.1',
      'Host: h',
      `Cookie: org=${service.orgUid};api_key=${key}`,
      'X-Forwarded-For: 00:1B:44:11:3A:B7',
      'Connection: close',
    ],
    '[{"time":1005,"data":5}]',
  )
})

test('PUT over HTTP/1.0 without any header is served and the connection closed', async () => {
  const answer = await send([`PUT /api/feed?compId=dev&a=6&time=1006&api_key=${key} HTTP/1.0`])
  assert.match(answer.text, /^HTTP\/1\.[01] 200 OK\r\n/)
  assert.equal(answer.body, '')
  assert.equal(await lastValue('dev', 'a'), '[{"time":1006,"data":6}]')
})

test('PUT with a gzipped JSON body under any content type is the JSON form', async () => {
  const samples = [{ compId: 'dev', streamId: 'a', data: 7, time: 1_007 }]
  for (const type of ['application/json', 'text/plain', 'application/octet-stream', 'x/y']) {
    const body = gzipSync(JSON.stringify(samples))
    const answer = await send(
      [
        `PUT /api/feed?api_key=${key} HTTP/1.1`,
        'Host: h',
        `Content-Type: ${type}`,
        'Content-Encoding: gzip',
        `Content-Length: ${body.length}`,
        'Connection: close',
      ],
      body,
    )
    assert.match(answer.text, /^HTTP\/1\.1 200 OK\r\n/, type)
    assert.equal(await lastValue('dev', 'a'), '[{"time":1007,"data":7}]', type)
  }
})

test('PUT with a chunked body is the JSON form', async () => {
  const json = '[{"compId":"dev","streamId":"a","data":8,"time":1008}]'
  const halves = [json.slice(0, 20), json.slice(20)]
  const chunks = halves.map((half) => `${half.length.toString(16)}\r\n${half}\r\n`)
  const answer = await send(
    [
      `PUT /api/feed?api_key=${key} HTTP/1.1`,
      'Host: h',
      'Transfer-Encoding: chunked',
      'Connection: close',
    ],
    `${chunks.join('')}0\r\n\r\n`,
  )
  assert.match(answer.text, /^HTTP\/1\.1 200 OK\r\n/)
  assert.equal(await lastValue('dev', 'a'), '[{"time":1008,"data":8}]')
})

test('rsid answers one compact object with native numbers and booleans', async () => {
  const answer = await send([
    `PUT /api/feed?compId=dev&a=9.50&time=1009&rsid=a&rsid=none&api_key=${key} HTTP/1.1`,
    'Host: h',
    'Connection: close',
  ])
  assert.match(answer.text, /^HTTP\/1\.1 200 OK\r\n/)
  assert.equal(
    answer.body,
    '{"a":9.5,"none":null,"missing":[{"itemType":"stream","itemId":"none","componentId":"dev"}]}',
  )
})

test('rsid of a stream that is called "missing" answers its value under that one key', async () => {
  const ask = async (query: string) => {
    const put = `PUT /api/feed?compId=named&time=1009&${query}&api_key=${key} HTTP/1.1`
    return (await send([put, 'Host: h', 'Connection: close'])).body
  }
  assert.equal(await ask('a=1&rsid=missing&rsid=fresh'), '{"missing":null,"fresh":null}')
  assert.equal(await ask('missing=2&rsid=missing&rsid=later'), '{"missing":2,"later":null}')
  assert.equal(
    await ask('a=1&rsid=last'),
    '{"last":null,"missing":[{"itemType":"stream","itemId":"last","componentId":"named"}]}',
  )
})

test('IDs with spaces, slashes, brackets and any script survive the URL and the path', async () => {
  const ids = ['a b', 'x/y', '1:2', 's[0]', 'höhe', '温度😀', 'a,b', 'a+b', '100%', 'q?&=#']
  for (const id of ids) {
    const name = encodeURIComponent(id)
    const answer = await send([
      `PUT /api/feed?compId=${name}&${name}=1&time=5&api_key=${key} HTTP/1.1`,
      'Host: h',
      'Connection: close',
    ])
    assert.match(answer.text, /^HTTP\/1\.1 200 OK\r\n/, id)
    assert.equal(await lastValue(id, id), '[{"time":5,"data":1}]', id)
  }
})

test('GET answers compact samples whose keys come in the order of the contract', async () => {
  const flags = 'retIntvlSd&retUnit&retFData&retStreamId&retCompId&_=1700'
  const answer = await send([
    `GET /api/comp/dev/stream/a/feed?&${flags}&limit=1&api_key=${key} HTTP/1.1`,
    'Host: h',
    'Connection: close',
  ])
  assert.match(answer.text, /^HTTP\/1\.1 200 OK\r\n/)
  assert.equal(
    answer.body,
    '[{"compId":"dev","streamId":"a","time":1009,"data":9.5,"fData":"9.5","unit":""}]',
  )
  const none = await send([
    `GET /api/comp/dev/stream/a/feed?sd=1&ed=2&api_key=${key} HTTP/1.1`,
    'Host: h',
    'Connection: close',
  ])
  assert.equal(none.body, '[]')
})

test('doubled slashes in front and behind api are one', async () => {
  for (const [at, path] of ['//api/feed', '/api//feed', '//api//feed'].entries()) {
    const time = 1_700_000_000_100 + at
    const query = `compId=slashes&a=${at}&time=${time}&api_key=${key}`
    const answer = await send([`PUT ${path}?${query} HTTP/1.1`, 'Host: h', 'Connection: close'])
    assert.equal(answer.status, 200, path)
    assert.equal(await lastValue('slashes', 'a'), `[{"time":${time},"data":${at}}]`)
  }
  for (const path of ['//api/comp/slashes/feed', '/api//comp/slashes/property']) {
    const answer = await send([
      `GET ${path}?api_key=${key} HTTP/1.1`,
      'Host: h',
      'Connection: close',
    ])
    assert.equal(answer.status, 200, path)
  }
})

test('texts that cannot be kept are refused in every form', async () => {
  const good = await send([
    `PUT /api/feed?compId=odd&a=x&api_key=${key} HTTP/1.1`,
    'Host: h',
    'Connection: close',
  ])
  assert.equal(good.status, 200)
  const check = async (query: string, body: Uint8Array) => {
    const length = `Content-Length: ${body.length}`
    const head = [
      `PUT /api/feed?${query}api_key=${key} HTTP/1.1`,
      'Host: h',
      length,
      'Connection: close',
    ]
    const answer = await send(head, body)
    assert.equal(answer.status, 400, answer.text)
  }
  const sample = (data: string) =>
    Buffer.from(`[{"compId":"odd","streamId":"a","data":"${data}"}]`, 'latin1')
  await check('', sample('caf\xe9'))
  await check('', sample('\\ud800'))
  await check('compId=odd&a=caf%E9&', Buffer.alloc(0))
  await check('compId=odd&a=caf\xe9&', Buffer.alloc(0))
  await check('compId=odd&a=%ED%A0%80&', Buffer.alloc(0))
  assert.equal(await lastValue('odd', 'a'), `[{"time":${NOW},"data":"x"}]`)
})

test('GET from a page of another origin is allowed, without cookies', async () => {
  const answer = await send([
    `GET /api/comp/dev/last_value?api_key=${key} HTTP/1.1`,
    'Host: h',
    'Origin: https://dashboard.example',
    'Connection: close',
  ])
  assert.equal(answer.status, 200)
  assert.equal(answer.headers['access-control-allow-origin'], '*')
  assert.equal(answer.headers['access-control-allow-credentials'], undefined)
})

test('every answer carries its version and a request id', async () => {
  const answer = await send([
    `PUT /api/feed?compId=dev&a=x HTTP/1.1`,
    'Host: h',
    'Connection: close',
  ])
  assert.equal(answer.status, 401)
  assert.match(answer.headers['weir-version'], /^\d+\.\d+\.\d+/)
  assert.ok(answer.headers['x-request-id'].length > 0)
  const envelope = JSON.parse(answer.body)
  assert.deepEqual(Object.keys(envelope), ['success', 'message', 'code'])
  assert.equal(envelope.code, 'unauthorized')
})
