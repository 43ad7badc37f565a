import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ProtoCursor } from '../../../src/intake/prometheus/proto-cursor.ts'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { Random, testSeeds } from '../../support/random.ts'
import {
  bytesField,
  packSnappy,
  REMOTE_WRITE_TYPES,
  type WrittenSeries,
  writeRequest1,
  writeRequest2,
} from '../../support/remote-write.ts'
import type { Service } from '../../support/service.ts'
import { startWorld } from '../../support/world.ts'

const NOW = 1_700_000_000_000
const VERSIONS = [1, 2] as const
type Version = (typeof VERSIONS)[number]
const WRITERS = { 1: writeRequest1, 2: writeRequest2 }
const UP = { __name__: 'up', instance: 'host', job: 'node' }
const GOOD: WrittenSeries = { labels: UP, samples: [[1, NOW]] }
const CHANGED_BODIES = 150

async function post({ url, feedKey }: Service, body: Buffer, version: Version = 1, key = feedKey) {
  const answer = await fetch(`${url}/api/v1/write`, {
    method: 'POST',
    body,
    headers: {
      'X-Api-Key': key,
      'Content-Encoding': 'snappy',
      'Content-Type': REMOTE_WRITE_TYPES[version],
    },
  })
  return { status: answer.status, text: await answer.text(), headers: answer.headers }
}

async function countStreams(owner: Call): Promise<number> {
  const { body } = await owner('GET', '/api/component?limit=1000')
  return body.component.reduce(
    (sum: number, { streamCount }: { streamCount: number }) => sum + streamCount,
    0,
  )
}

async function assertNoMemoryUsed({ url }: Service): Promise<void> {
  const text = await (await fetch(`${url}/metrics`)).text()
  assert.equal(/^weir_memory_budget_used_bytes (\d+)$/m.exec(text)?.[1], '0')
}

/** Copies of 64 bytes from one byte before: the highest ratio that Snappy has. */
function packRepeated(byte: number, count: number): Buffer {
  const length: number[] = []
  let rest = count
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) length.push((rest % 0x80) | 0x80)
  const copies = Buffer.alloc(3 * Math.ceil((count - 1) / 64), Buffer.from([(63 << 2) | 2, 1, 0]))
  const last = (count - 1) % 64
  if (last !== 0) copies[copies.length - 3] = ((last - 1) << 2) | 2
  return Buffer.concat([Buffer.from([...length, rest, 0, byte]), copies])
}

test('Snappy blocks with wrong lengths, and references before the start, are refused whole', async (t) => {
  const { service, owner } = await startWorld(t)
  const good = packSnappy(writeRequest1([GOOD]))
  const bad: Buffer[] = [
    Buffer.from([0x80, 0x80, 0x80, 0x80, 0x80, 0x01]),
    Buffer.from([5, 0x01, 0x01]),
    Buffer.from([5, 0x02, 0x00, 0x00]),
    Buffer.from([5, 0x00, 0x0a, 0x03, 0xff, 0xff, 0xff, 0xff]),
    Buffer.from([5, 0xfc, 0xff, 0xff, 0xff, 0xff]),
    Buffer.concat([good, Buffer.from([0, 0])]),
    Buffer.concat([Buffer.from([good[0] + 1]), good.subarray(1)]),
    Buffer.concat([Buffer.from([good[0] - 1]), good.subarray(1)]),
  ]
  for (let length = 0; length < good.length; length++) bad.push(good.subarray(0, length))
  for (const [at, body] of bad.entries()) {
    const { status, text } = await post(service, body)
    assert.equal(status, 400, `${at}: ${text}`)
  }
  assert.equal(await countStreams(owner), 0)
  assert.equal((await post(service, good)).status, 204)
})

test('a Snappy bomb is refused by its header, and inflates no further than the limit', async (t) => {
  const { service } = await startWorld(t, { WEIR_BODY_BYTES_MAX: '1000000' })
  for (const bytes of [1_000_001, 4_000_000, 100_000_000, 2 ** 32 - 1]) {
    const body = packRepeated(0, Math.min(bytes, 20_000_000))
    if (bytes > 20_000_000) body.fill(0xff, 0, 4)
    assert.equal((await post(service, body)).status, 413, `${bytes} bytes`)
  }
  // Zeros are no valid protobuf, which shows only when they are inflated.
  const { status, text } = await post(service, packRepeated(0, 1_000_000))
  assert.deepEqual([status, /protobuf/.test(text)], [400, true])
  await assertNoMemoryUsed(service)
})

test('a body of version 2.0 that ends malformed reports the samples before it', async (t) => {
  const { service } = await startWorld(t, { WEIR_CREATE_MAX: '2' })
  const series = ['a', 'b', 'c'].map((name) => ({
    labels: { __name__: name, job: 'x' },
    samples: [[1, NOW]] as const,
  }))
  const body = Buffer.concat([writeRequest2(series), bytesField(5, Buffer.from([0x12, 0x7f]))])
  const { status, headers } = await post(service, packSnappy(body), 2)
  assert.equal(status, 400)
  assert.equal(headers.get('X-Prometheus-Remote-Write-Samples-Written'), '2')
})

for (const version of VERSIONS) {
  test(`remote write ${version}.0: bodies that were cut or changed never fail otherwise than by 400`, async (t) => {
    const { service, owner, feed } = await startWorld(t)
    const [seed] = testSeeds(1)
    const random = new Random(seed)
    const body = WRITERS[version]([
      { labels: { __name__: 'a', job: 'x' }, samples: [[1.5, NOW]] },
      { labels: { __name__: 'b', job: 'y', le: '0.5' }, samples: [[2, NOW]], histograms: 1 },
    ])
    for (let round = 0; round < CHANGED_BODIES; round++) {
      const changed = Buffer.from(body.subarray(0, random.integer(1, body.length + 1)))
      for (let times = random.integer(0, 4); times > 0; times--) {
        changed[random.integer(0, changed.length)] = random.integer(0, 256)
      }
      const { status, text } = await post(service, packSnappy(changed), version)
      const context = `seed ${seed}, ${changed.toString('hex')}: ${status} ${text}`
      assert.ok([204, 400].includes(status), context)
    }
    const [wrongWire, group] = [Buffer.from([0x08, 1]), Buffer.from([0x0b, 0x0c])]
    const field = version === 1 ? 1 : 5
    for (const inner of [Buffer.from([0x12, 0x7f]), Buffer.from([0x10, 1]), group]) {
      const wrong = await post(service, packSnappy(bytesField(field, inner)), version)
      assert.equal(wrong.status, 400, inner.toString('hex'))
      const written = wrong.headers.get('X-Prometheus-Remote-Write-Samples-Written')
      assert.equal(written, version === 2 ? '0' : null)
    }
    // A field of another type is an unknown one.
    const unknown = Buffer.concat([wrongWire, bytesField(99, 'x'), WRITERS[version]([GOOD])])
    assert.equal((await post(service, packSnappy(unknown), version)).status, 204)
    assert.deepEqual(await feed.get('host', 'up'), [[NOW, 1]])
    assert.ok((await countStreams(owner)) > 0)
    await assertNoMemoryUsed(service)
  })

  test(`remote write ${version}.0: labels in any order are one series, and bad ones are refused alone`, async (t) => {
    const { service, owner, feed } = await startWorld(t)
    const pairs = Object.entries(UP)
    for (const [at, labels] of [pairs, pairs.toReversed()].entries()) {
      const body = WRITERS[version]([{ labels, samples: [[at, NOW + at]] }])
      assert.equal((await post(service, packSnappy(body), version)).status, 204)
    }
    assert.equal((await feed.get('host', 'up')).length, 2)
    const many = Array.from({ length: 64 }, (_, at): [string, string] => [`l${at}`, 'x'])
    const bad: (readonly (readonly [string, string])[])[] = [
      [...pairs, ['job', 'node']],
      [...pairs, ['job', 'other']],
      [...pairs, ['', 'x']],
      [['__name__', '']],
      [['instance', 'host']],
      [['__name__', 'x'], ...many],
      [...pairs, ['nul\0', 'x']],
      [...pairs, ['n'.repeat(201), 'x']],
      [...pairs, ['n', 'x'.repeat(4_097)]],
    ]
    const samples = [[7, NOW] as const]
    for (const labels of bad) {
      const good = { labels: { ...UP, __name__: 'beside' }, samples }
      const body = WRITERS[version]([{ labels, samples }, good])
      const { status, text } = await post(service, packSnappy(body), version)
      assert.equal(status, 400, JSON.stringify(labels).slice(0, 80))
      assert.match(text, /^1 points rejected, 1 stored\n/)
    }
    assert.deepEqual(await feed.get('host', 'beside'), [[NOW, 7]])
    assert.equal(await countStreams(owner), 2)
  })

  test(`remote write ${version}.0: times out of range are refused alone`, async (t) => {
    const { service, feed } = await startWorld(t)
    const times = [-(2 ** 63), -3e12, 9.3e12, 2 ** 53, Number(2n ** 63n - 1024n)]
    const samples = [...times, NOW].map((time) => [1, time] as const)
    const body = WRITERS[version]([{ labels: UP, samples }])
    const { status, text } = await post(service, packSnappy(body), version)
    assert.equal(status, 400)
    assert.match(text, /^5 points rejected, 1 stored\n/)
    assert.deepEqual(await feed.get('host', 'up'), [[NOW, 1]])
  })
}

test('ten million empty series take no more than their bytes, and nothing is made', async (t) => {
  const { service, owner } = await startWorld(t)
  for (const count of [1_000, 100_000, 10_000_000]) {
    for (const version of VERSIONS) {
      const one = Buffer.from([version === 1 ? 0x0a : 0x2a, 0])
      const body = packSnappy(Buffer.alloc(2 * count, one))
      const other = fetch(`${service.url}/healthz`)
      assert.equal((await post(service, body, version)).status, 204, `${count} series`)
      assert.equal((await other).status, 200)
    }
  }
  assert.equal(await countStreams(owner), 0)
  await assertNoMemoryUsed(service)
})

test('few symbols of version 2.0 cannot name labels without end', async (t) => {
  const { service, owner } = await startWorld(t)
  const text = 'x'.repeat(4_000)
  const symbols = ['', '__name__', 'm', 'l', text].map((one) => bytesField(4, one))
  const sample = bytesField(2, Buffer.from([0x10, 1]))
  const refs = Buffer.alloc(60, Buffer.from([3, 4]))
  const one = bytesField(5, bytesField(1, Buffer.from([1, 2]), refs), sample)
  for (const count of [10, 100_000]) {
    const body = Buffer.concat([...symbols, Buffer.alloc(count * one.length, one)])
    const { status, text: reason } = await post(service, packSnappy(body), 2)
    assert.equal(status, 400)
    assert.match(reason, count > 10 ? /times as long as the body/ : /is there twice/)
  }
  assert.equal(await countStreams(owner), 0)
  await assertNoMemoryUsed(service)
})

test('a series with thousands of bad points is read as often as one with a few', async (t) => {
  const { service, owner } = await startWorld(t)
  const next = t.mock.method(ProtoCursor.prototype, 'nextField')
  for (const version of VERSIONS) {
    const histograms = 2_000
    const body = packSnappy(WRITERS[version]([{ labels: UP, samples: [], histograms }]))
    const before = next.mock.callCount()
    const { status, text } = await post(service, body, version)
    assert.equal(status, 400)
    assert.match(text, /2000 points rejected/)
    const fields = next.mock.callCount() - before
    assert.ok(fields < 20 * histograms, `${fields} fields were read`)
  }
  assert.equal(await countStreams(owner), 0)
  await assertNoMemoryUsed(service)
})

test('a sender that repeats one batch without end changes nothing after the first time', async (t) => {
  const { service, owner, feed } = await startWorld(t)
  const series = Array.from({ length: 100 }, (_, at): WrittenSeries => {
    return { labels: { ...UP, n: String(at) }, samples: [[at, NOW]] }
  })
  const body = packSnappy(writeRequest1(series))
  for (let round = 0; round < 300; round++) {
    assert.equal((await post(service, body)).status, 204)
  }
  assert.equal(await countStreams(owner), 100)
  await service.sealAndRestart()
  assert.deepEqual(await feed.get('host', 'up,n=7'), [[NOW, 7]])
  assert.equal((await post(service, body)).status, 204)
  assert.deepEqual(await feed.get('host', 'up,n=7'), [[NOW, 7]])
  await assertNoMemoryUsed(service)
})

test('the series of another organization are its own', async (t) => {
  const { service, owner, feed } = await startWorld(t)
  const body = (value: number) => packSnappy(writeRequest1([{ ...GOOD, samples: [[value, NOW]] }]))
  assert.equal((await post(service, body(1))).status, 204)
  const made = await owner('PUT', '/api/organization', { organization: { name: 'other' } })
  const session = await signIn(service, service.ownerEmail, service.ownerPassword)
  const there = caller(service, `${session};org=${made.body.organization.uid}`)
  const capabilities = [{ resource: 'component/*/feed', methods: ['GET', 'PUT'] }]
  const key = await there('PUT', '/api/api_key', { api_key: { name: 'k', capabilities } })
  const { secretKey } = key.body.api_key
  assert.equal((await post(service, body(2), 1, secretKey)).status, 204)
  assert.deepEqual(await feed.get('host', 'up'), [[NOW, 1]])
  assert.equal((await there('GET', '/api/component')).body.totalCount, 1)
  // A tenant that a header or the URL names counts for nothing.
  const headers = {
    'X-Api-Key': secretKey,
    'X-Scope-OrgID': service.orgUid,
    'Content-Encoding': 'snappy',
    'Content-Type': REMOTE_WRITE_TYPES[1],
  }
  const path = `${service.url}/api/v1/write?org=${service.orgUid}`
  const answer = await fetch(path, { method: 'POST', headers, body: body(3) })
  assert.ok([204, 403].includes(answer.status), String(answer.status))
  assert.deepEqual(await feed.get('host', 'up'), [[NOW, 1]])
})

test('what passes by itself is 503 with Retry-After, never 429', async (t) => {
  const { service } = await startWorld(t, { WEIR_RATE_LIMITS: 'feed=2/60s,failed=2/60s' })
  const body = packSnappy(writeRequest1([GOOD]))
  for (let round = 0; round < 2; round++) assert.equal((await post(service, body)).status, 204)
  const statuses: number[] = []
  const wrong = '00000000-0000-0000-0000-000000000000'
  for (const key of [service.feedKey, wrong, wrong, wrong, wrong]) {
    const { status, headers } = await post(service, body, 1, key)
    statuses.push(status)
    if (status === 503) assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  }
  assert.deepEqual(statuses, [503, 401, 401, 503, 503])
})
