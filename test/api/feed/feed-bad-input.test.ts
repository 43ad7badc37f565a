import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { ManualClock } from '../../../src/base/index.ts'
import { FeedClient } from '../../support/feed-client.ts'
import { sendRaw } from '../../support/raw-http.ts'
import { startService } from '../../support/service.ts'
import { serviceOfFile } from '../../support/service-of-file.ts'

const LIMIT_BYTES = 1_000_000

const service = serviceOfFile({
  clock: new ManualClock(1_700_000_000_000),
  settings: { WEIR_BODY_BYTES_MAX: String(LIMIT_BYTES) },
})
const client = new FeedClient(service)

before(async () => {
  await client.put('compId=c&num=1&text=x&time=1')
})

/** What is stored and created before and after a refused call must be the same. */
async function checkNothingChanged(): Promise<void> {
  const samples = [[1, 1], [1, 'x']] // biome-ignore format: short
  assert.deepEqual(await client.get('c'), samples)
  const { componentCount, streamCount } = service.app.catalog.index
  assert.deepEqual([componentCount, streamCount], [1, 2])
}

async function checkRefused(
  call: Promise<{ status: number; text: string }>,
  expected: { status: number; message: RegExp; about: string },
): Promise<void> {
  const { status, text } = await call
  assert.equal(status, expected.status, `${expected.about}: ${text}`)
  const envelope = JSON.parse(text)
  assert.equal(envelope.success, false)
  assert.match(envelope.code, /^[a-z_]+$/)
  assert.match(envelope.message, expected.message, expected.about)
}

test('PUT of the URL form refuses what it cannot place, and nothing is stored or created', async () => {
  const check = (query: string, message: RegExp) =>
    checkRefused(client.put(query), { status: 400, message, about: query })
  await check('compId=c&num=2&time=5&timeEl=5', /Only one of/)
  await check('compId=c&num=2&time=5&freq=5', /Only one of/)
  await check('compId=c&num=2,3&time=5', /2 values for 1 times/)
  await check('compId=new&a=2&b=1,2&time=5', /2 values for 1 times/)
  await check('compId=new&a=2,3', /Send their times/)
  await check('compId=c&num=abc&time=5', /value 0 of "num": "data" must be a finite number/)
  await check('compId=c&new=1&num=NaN1', /value 0 of "num"/)
  await check('compId=c&new=1&num=1e999', /value 0 of "num"/)
  await check('compId=new&a=1e999', /value 0 of "a"/)
  await check('compId=new&a=1&time=1.5', /Value 0 of "time"/)
  await check('compId=new&a=1&time=9214646400000', /Value 0 of "time"/)
  await check('compId=new&a=1&time=-2208988800001', /Value 0 of "time"/)
  await check('a=1', /"compId" is missing/)
  await check('compId=+&a=1', /"compId" must not be blank/)
  await check('compId=new', /has no value/)
  await check('compId=new&rsid=a', /has no value/)
  await check('compId=new&a=1&freq=0', /"freq"/)
  await check('compId=new&a=1&delim=', /"delim"/)
  await check('compId=new&a=1&derMaxS=x', /"derMaxS"/)
  await check('compId=new&a=1&dtId=t', /"dtId" also needs "dsId"/)
  await check('compId=new&a=1&folder=/Other', /Components/)
  await check(`compId=${'x'.repeat(513)}&a=1`, /513 characters/)
  await check(`compId=new&${'x'.repeat(513)}=1`, /512 characters/)
  await checkRefused(client.put('compId=new&a=1&compTmplId=nope'), {
    status: 404,
    message: /nope/,
    about: 'an unknown template',
  })
  await checkNothingChanged()
})

test('PUT of the JSON form names index and field, and nothing is stored or created', async () => {
  const good = { compId: 'c', streamId: 'num', data: 2, time: 5 }
  const fresh = { compId: 'new', streamId: 'a', data: 2, time: 5 }
  const check = (bad: object, message: RegExp) =>
    checkRefused(client.putJson([good, fresh, bad]), {
      status: 400,
      message,
      about: JSON.stringify(bad),
    })
  await check({ ...good, compId: undefined }, /sample 2: "compId" is missing/)
  await check({ ...good, streamId: undefined }, /sample 2: "streamId" is missing/)
  await check({ ...good, compId: '' }, /sample 2: "compId" must not be blank/)
  await check({ ...good, data: [1] }, /sample 2: "data" must be/)
  await check({ ...good, data: {} }, /sample 2: "data" must be/)
  await check({ ...good, data: undefined }, /sample 2: "data" is missing/)
  await check({ ...good, data: 'abc' }, /sample 2: "data" must be a finite number/)
  await check({ ...good, data: true }, /sample 2: "data" must be a finite number/)
  await check({ ...good, time: 1.5 }, /sample 2: "time" must be integer epoch milliseconds/)
  await check({ ...good, time: '5s' }, /sample 2: "time" must be integer epoch milliseconds/)
  await check({ ...good, time: 1e13 }, /sample 2: "time" must be integer epoch milliseconds/)
  const raw = (body: string, message: RegExp) =>
    checkRefused(client.call('PUT', '/feed', { body }), { status: 400, message, about: body })
  await raw(
    '[{"compId":"c","streamId":"num","data":1e999}]',
    /sample 0: "data" must be a finite number/,
  )
  await raw('[{"compId":"c","streamId":"num","data":NaN}]', /unexpected "N" at position 39/)
  await raw('[{"compId":"c","streamId":"num","data":1}', /unexpected end of text at position 41/)
  await raw('{"feed":5}', /"feed"/)
  await raw('"x"', /a list of samples or an object/)
  await raw(' ', /unexpected end of text at position 1/)
  await raw(`${'['.repeat(100)}`, /nested deeper than 64 levels at position 64/)
  await raw(`[{"compId":"c","streamId":"num","data":1,"x":${'['.repeat(70)}`, /nested deeper/)
  await checkNothingChanged()
})

test('PUT of the batch form refuses unknown UIDs and counts that differ', async () => {
  const check = (status: number, component: object, message: RegExp) =>
    checkRefused(client.putJson({ feed: { component: [component] } }), {
      status,
      message,
      about: JSON.stringify(component),
    })
  const stream = [{ streamId: 'num', data: [1] }]
  await check(404, { componentUid: 'nope', stream }, /Cannot find component "nope"/)
  await check(404, { componentUid: 'nope', stream: [] }, /Cannot find component "nope"/)
  const byUid = [{ streamUid: 'nope', data: [1] }]
  await check(404, { componentId: 'c', stream: byUid }, /Cannot find stream "nope"/)
  await check(404, { componentId: 'new', stream: byUid }, /Cannot find stream "nope"/)
  await check(
    400,
    { componentId: 'new', time: [1, 2], stream },
    /"time" has 2 entries, but "data" has 1/,
  )
  await checkNothingChanged()
})

test('PUT refuses bodies that are broken, too large, or inflate beyond the limit', async () => {
  const encoded = (body: Uint8Array, encoding = 'gzip') =>
    client.call('PUT', '/feed', {
      body: Buffer.from(body),
      headers: { 'content-encoding': encoding },
    })
  const good = gzipSync('[{"compId":"c","streamId":"num","data":2,"time":5}]')
  const refused = (status: number, message: RegExp) => ({ status, message, about: String(message) })
  await checkRefused(encoded(good.subarray(0, good.length - 5)), refused(400, /decompress/))
  await checkRefused(encoded(Buffer.from('no gzip')), refused(400, /decompress/))
  await checkRefused(encoded(good, 'lzma'), refused(415, /Use gzip, deflate, br, or zstd/))
  const bomb = gzipSync(Buffer.alloc(100 * LIMIT_BYTES, ' '))
  assert.ok(bomb.length < LIMIT_BYTES)
  await checkRefused(encoded(bomb), refused(413, /At most 1000000 bytes/))
  const samples = `[${'{"compId":"c","streamId":"num","data":2,"time":5},'.repeat(25_000)}`
  assert.ok(samples.length > LIMIT_BYTES)
  await checkRefused(client.call('PUT', '/feed', { body: samples }), refused(413, /at most/i))
  await checkNothingChanged()
})

test('PUT refuses 200 MB and one byte before it is sent, at the default limit', async (t) => {
  const standard = await startService()
  t.after(() => standard.close())
  const head = (bytes: number) =>
    [
      `PUT /api/feed?api_key=${standard.feedKey} HTTP/1.1`,
      'Host: h',
      `Content-Length: ${bytes}`,
      'Connection: close',
      '',
      '',
    ].join('\r\n')
  const { status, body } = await sendRaw(standard.port, head(200_000_001))
  assert.equal(status, 413)
  assert.match(body, /At most 200000000 bytes/)
})

test('PUT whose connection breaks off midway stores nothing and harms nobody', async () => {
  const socket = connect(service.port, '127.0.0.1')
  await once(socket, 'connect')
  const sample = '[{"compId":"c","streamId":"num","data":9,"time":9}]'
  socket.write(
    `PUT /api/feed?api_key=${service.feedKey} HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n${sample}`,
  )
  socket.resume()
  socket.end()
  await once(socket, 'close')
  await checkNothingChanged()
})

test('GET refuses ranges and limits that make no sense, and what does not exist', async () => {
  const check = (status: number, path: string, message: RegExp) =>
    checkRefused(client.call('GET', path), { status, message, about: path })
  for (const call of ['feed', 'last_value']) {
    await check(400, `/comp/c/${call}?sd=5`, /"sd" also needs "ed"/)
    await check(400, `/comp/c/${call}?sd=6&ed=5`, /must not be after/)
    await check(400, `/comp/c/stream/num/${call}?limit=0`, /"limit"/)
    await check(400, `/comp/c/stream/num/${call}?limit=-1`, /"limit"/)
    await check(400, `/comp/c/stream/num/${call}?limit=x`, /"limit"/)
    await check(400, `/comp/%20/${call}`, /"compId" must not be blank/)
    await check(400, `/comp/%zz/${call}`, /Cannot decode the compId/)
    await check(404, `/comp/new/${call}`, /Cannot find component "new"/)
    await check(404, `/comp/c/stream/new/${call}`, /Cannot find stream "new" in component "c"/)
  }
  await checkNothingChanged()
})
