import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDocumented } from '../../support/documented.ts'
import {
  packSnappy,
  REMOTE_WRITE_TYPES,
  type WrittenSeries,
  writeRequest1,
  writeRequest2,
} from '../../support/remote-write.ts'
import type { Service } from '../../support/service.ts'
import { startWorld } from '../../support/world.ts'

const NOW = 1_700_000_000_000
const WRITERS = { 1: writeRequest1, 2: writeRequest2 }

async function post(
  { url, feedKey }: Service,
  body: Buffer,
  headers: Record<string, string> = {},
  path = '/api/v1/write',
) {
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    body,
    headers: {
      'X-Api-Key': feedKey,
      'Content-Encoding': 'snappy',
      'Content-Type': REMOTE_WRITE_TYPES[1],
      ...headers,
    },
  })
  return { status: answer.status, text: await answer.text(), headers: answer.headers }
}

function write(service: Service, series: readonly WrittenSeries[], version: 1 | 2 = 1) {
  const headers = { 'Content-Type': REMOTE_WRITE_TYPES[version] }
  return post(service, packSnappy(WRITERS[version](series)), headers)
}

const UP = { __name__: 'up', instance: 'host:9100', job: 'node' }

for (const version of [1, 2] as const) {
  test(`remote write ${version}.0 stores series as streams with labels`, async (t) => {
    const { service, owner, feed } = await startWorld(t)
    const written = await write(
      service,
      [
        {
          labels: UP,
          samples: [
            [1, NOW],
            [0, NOW + 15_000],
          ],
        },
        { labels: { __name__: 'load', job: 'node', cpu: '0' }, samples: [[0.25, NOW]] },
        { labels: { __name__: 'lonely' }, samples: [[7, NOW]] },
      ],
      version,
    )
    assert.equal(written.status, 204, written.text)
    const counts = ['Samples', 'Histograms', 'Exemplars'].map((what) =>
      written.headers.get(`X-Prometheus-Remote-Write-${what}-Written`),
    )
    assert.deepEqual(counts, version === 2 ? ['4', '0', '0'] : [null, null, null])
    assert.deepEqual(await feed.get('host:9100', 'up'), [
      [NOW + 15_000, 0],
      [NOW, 1],
    ])
    assert.deepEqual(await feed.get('node', 'load,cpu=0'), [[NOW, 0.25]])
    assert.deepEqual(await feed.get('prometheus', 'lonely'), [[NOW, 7]])
    const { body } = await owner('GET', '/api/component?limit=10')
    const { uid } = body.component.find((one: { id: string }) => one.id === 'host:9100')
    const streams = await owner('GET', `/api/component/${uid}/stream`)
    assert.deepEqual(streams.body.stream[0].labels, UP)
    assert.deepEqual(streams.body.stream[0].series, UP)
  })

  test(`remote write ${version}.0 stores the good points of a body and names the others`, async (t) => {
    const { service, owner, feed } = await startWorld(t)
    const series: WrittenSeries[] = [
      {
        labels: UP,
        samples: [
          [1, NOW],
          [2, 1e16],
        ],
      },
      { labels: { nameless: 'x' }, samples: [[1, NOW]] },
      { labels: { __name__: 'h' }, samples: [[5, NOW]], histograms: 1 },
    ]
    const written = await write(service, series, version)
    assert.equal(written.status, 400)
    assert.match(written.text, /^3 points rejected, 2 stored\n/)
    assert.match(written.text, /Native histograms are not stored/)
    const name = 'X-Prometheus-Remote-Write-Samples-Written'
    assert.equal(written.headers.get(name), version === 2 ? '2' : null)
    assert.deepEqual(await feed.get('host:9100', 'up'), [[NOW, 1]])
    const { body } = await owner('GET', '/api/door/refused')
    assert.equal(body.totalCount, 3)
    assert.equal(body.refused[0].door, 'remote_write')
  })
}

test('remote write is also below /prom, and accepts out of order and repeated samples', async (t) => {
  const { service, feed } = await startWorld(t)
  const body = packSnappy(
    writeRequest1([
      {
        labels: UP,
        samples: [
          [2, NOW + 1],
          [1, NOW],
        ],
      },
    ]),
  )
  for (let round = 0; round < 3; round++) {
    assert.equal((await post(service, body, {}, '/prom/api/v1/write')).status, 204)
  }
  assert.equal((await feed.get('host:9100', 'up')).length, 2)
})

test('remote write refuses other types, encodings, wrong lengths, and what is no message', async (t) => {
  const { service, owner } = await startWorld(t, { WEIR_BODY_BYTES_MAX: '1000000' })
  const good = packSnappy(writeRequest1([{ labels: UP, samples: [[1, NOW]] }]))
  const check = async (status: number, text: RegExp, body: Buffer, headers = {}) => {
    const written = await post(service, body, headers)
    assert.equal(written.status, status, written.text)
    assert.match(written.text, text)
  }
  await check(415, /Content-Type/, good, { 'Content-Type': 'application/json' })
  await check(415, /Content-Type/, good, { 'Content-Type': 'application/x-protobuf;proto=other' })
  await check(415, /Content-Encoding: snappy/, good, { 'Content-Encoding': 'gzip' })
  await check(400, /Snappy/, Buffer.from('nonsense'))
  await check(400, /Snappy/, Buffer.alloc(0))
  await check(400, /protobuf/, packSnappy(Buffer.from([0x0a, 0x7f])))
  // A header that declares more than the limit is refused before anything is inflated.
  await check(413, /1000000|1,000,000/, Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f]))
  const { body } = await owner('GET', '/api/component?limit=10')
  assert.equal(body.totalCount, 0)
})

test('remote write answers 401 and 403 without a challenge, and no other tenant sees a point', async (t) => {
  const { service, owner } = await startWorld(t)
  const series = [{ labels: UP, samples: [[1, NOW] as const] }]
  const body = packSnappy(writeRequest1(series))
  const unknown = await post(service, body, { 'X-Api-Key': '00000000-0000-0000-0000-000000000000' })
  assert.equal(unknown.status, 401)
  assert.equal(unknown.headers.get('www-authenticate'), null)
  const key = { name: 'reader', capabilities: [{ resource: 'component/*/feed', methods: ['GET'] }] }
  const made = await owner('PUT', '/api/api_key', {
    api_key: key,
    currentPassword: service.ownerPassword,
  })
  const secret = made.body.api_key.secretKey ?? made.body.api_key.secret
  const forbidden = await post(service, body, { 'X-Api-Key': secret })
  assert.equal(forbidden.status, 403, JSON.stringify(made.body))
})

test('remote write creates streams by the address rule of docs/integrations.md', async (t) => {
  const { service, owner, feed } = await startWorld(t)
  const rule = readDocumented('docs/integrations.md', { heading: 'Prometheus', language: 'json' })
  const capabilities = [{ resource: 'component/*/feed', methods: ['PUT'] }]
  const key = { name: 'rule', capabilities, addressRule: JSON.parse(rule) }
  const made = await owner('PUT', '/api/api_key', { api_key: key })
  assert.equal(made.status, 200, made.text)
  const body = packSnappy(writeRequest1([{ labels: UP, samples: [[1, NOW]] }]))
  const written = await post(service, body, { 'X-Api-Key': made.body.api_key.secretKey })
  assert.equal(written.status, 204, written.text)
  assert.deepEqual(await feed.get('node', 'up,instance=host:9100'), [[NOW, 1]])
})

test('remote write accepts a body without samples', async (t) => {
  const { service } = await startWorld(t)
  assert.equal((await write(service, [])).status, 204)
})
