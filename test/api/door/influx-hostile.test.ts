import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { refusal } from '../../../src/base/index.ts'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { InfluxClient } from '../../support/influx-client.ts'
import { type Service, type ServiceOptions, startService } from '../../support/service.ts'

interface World {
  readonly service: Service
  readonly influx: InfluxClient
  readonly owner: Call
}

async function start(
  t: TestContext,
  settings: Record<string, string> = {},
  options: ServiceOptions = {},
): Promise<World> {
  const service = await startService({ ...options, settings })
  t.after(() => service.close())
  const session = await signIn(service, service.ownerEmail, service.ownerPassword)
  return { service, influx: new InfluxClient(service), owner: caller(service, session) }
}

async function countStreams(owner: Call): Promise<number> {
  const { body } = await owner('GET', '/api/component?limit=1000')
  return body.component.reduce(
    (sum: number, { streamCount }: { streamCount: number }) => sum + streamCount,
    0,
  )
}

test('bodies that are made to break the parser are refused line by line', async (t) => {
  const { influx } = await start(t)
  const tags = Array.from({ length: 10_000 }, (_, at) => `t${at}=x`).join(',')
  const bad: (string | Buffer)[] = [
    'nul\0byte f=1 1',
    'm,host=a\0b f=1 1',
    `m,tag=${'x'.repeat(1_000_000)} f=1 1`,
    `m,${'t'.repeat(1_000_000)}=x f=1 1`,
    `m,${tags} f=1 1`,
    'm f="unterminated 1',
    'm f=9223372036854775808i 1',
    'm f=18446744073709551616u 1',
    'm f=-1u 1',
    `m f=${'9'.repeat(100_000)} 1`,
    'm f=1 99999999999999999999',
    'm f=1 9223372036854775807',
    'm f=1 -9223372036854775808',
    'm,__name__=x f=1 1',
    'm,a=1,a=2 f=1 1',
    Buffer.from([0x6d, 0xff, 0x20, 0x66, 0x3d, 0x31]),
    `m f="${'x'.repeat(1_100_000)}" 1`,
  ]
  for (const line of bad) {
    const body = Buffer.concat([Buffer.from('good f=1 1\n'), Buffer.from(line)])
    const { status, text } = await influx.write(body)
    assert.equal(status, 400, String(line).slice(0, 60))
    assert.match(text, /dropped=1"/, text.slice(0, 300))
  }
  assert.deepEqual(await influx.feed.get('good', 'good_f'), [[1, 1]])
})

test('a body of bad lines alone names a thousand of them and counts all', async (t) => {
  const { influx, owner } = await start(t)
  const path = '/api/v3/write_lp?precision=millisecond'
  const { status, text } = await influx.post(path, 'x\n'.repeat(5_000))
  assert.equal(status, 400)
  assert.equal(JSON.parse(text).data.length, 1_000)
  const { body } = await owner('GET', '/api/door/refused?limit=1')
  assert.equal(body.totalCount, 1_000)
})

test('a gzip bomb is refused, and so is a body beyond the limit', async (t) => {
  const { influx } = await start(t, { WEIR_BODY_BYTES_MAX: '1000000' })
  const bomb = gzipSync(Buffer.alloc(64_000_000, '\n'))
  const packed = { 'content-encoding': 'gzip' }
  assert.equal((await influx.post('/write', bomb, packed)).status, 413)
  const v2 = await influx.post('/api/v2/write', 'm f=1 1\n'.repeat(200_000))
  assert.deepEqual([v2.status, JSON.parse(v2.text).code], [413, 'request too large'])
  assert.equal((await influx.post('/write', 'no gzip', packed)).status, 400)
})

test('series beyond the limit of one call are made slice by slice', async (t) => {
  const { influx, owner } = await start(t, { WEIR_CREATE_MAX: '10' })
  const lines = Array.from({ length: 35 }, (_, at) => `slices,host=h${at % 7},n=${at} f=${at} 1`)
  const { status, text } = await influx.write(lines.join('\n'))
  assert.equal(status, 204, text)
  assert.equal(await countStreams(owner), 35)
})

test('a quota that is reached midway stores what it has room for', async (t) => {
  const { influx, owner } = await start(t, { WEIR_QUOTAS: 'components=5,streams=8' })
  await influx.write('q,host=h0 f=0 1')
  const lines = Array.from({ length: 20 }, (_, at) => `q,host=h${at} f=${at} 2`)
  const { status, text } = await influx.write(lines.join('\n'))
  assert.equal(status, 400)
  assert.match(text, /An organization can have 5 components/)
  assert.match(text, /dropped=15"/)
  assert.deepEqual(await influx.feed.get('h0', 'q_f'), [
    [2, 0],
    [1, 0],
  ])
  assert.deepEqual(await influx.feed.get('h4', 'q_f'), [[2, 4]])
  const more = Array.from({ length: 9 }, (_, at) => `q,host=h1,n=${at} f=1 3`)
  const streams = await influx.write(more.join('\n'))
  assert.match(streams.text, /dropped=6"/)
  assert.equal(await countStreams(owner), 8)
  // A known series passes whatever the quota is.
  assert.equal((await influx.write('q,host=h1 f=9 9')).status, 204)
})

test('points of another organization make streams of its own', async (t) => {
  const { influx, owner, service } = await start(t)
  await influx.write('tenant,host=shared f=1 1')
  const made = await owner('PUT', '/api/organization', { organization: { name: 'other' } })
  assert.equal(made.status, 200, made.text)
  const { uid } = made.body.organization
  const session = await signIn(service, service.ownerEmail, service.ownerPassword)
  const there = caller(service, `${session};org=${uid}`)
  const capabilities = [{ resource: 'component/*/feed', methods: ['GET', 'PUT'] }]
  const key = await there('PUT', '/api/api_key', { api_key: { name: 'k', capabilities } })
  assert.equal(key.status, 200, key.text)
  const authorization = `Token ${key.body.api_key.secretKey}`
  const lines = 'tenant,host=shared f=2 2'
  const written = await influx.post('/write?precision=ms', lines, { authorization })
  assert.equal(written.status, 204, written.text)
  assert.deepEqual(await influx.feed.get('shared', 'tenant_f'), [[1, 1]])
  await influx.write('tenant,host=shared f=3 3')
  assert.equal((await there('GET', '/api/component')).body.totalCount, 1)
})

test('what passes by itself is 503 with Retry-After in every version, never 429', async (t) => {
  const { influx, service } = await start(t, { WEIR_RATE_LIMITS: 'feed=2/60s,failed=2/60s' })
  for (let at = 0; at < 2; at++) assert.equal((await influx.write(`r f=${at} ${at}`)).status, 204)
  for (const path of ['/write', '/api/v2/write', '/api/v3/write_lp']) {
    const { status, headers } = await influx.post(path, 'r f=1')
    assert.equal(status, 503, path)
    assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  }
  const authorization = 'Token 00000000-0000-0000-0000-000000000000'
  const statuses: number[] = []
  for (let at = 0; at < 5; at++) {
    statuses.push((await influx.call('POST', '/write', { headers: { authorization } })).status)
  }
  assert.deepEqual(statuses, [401, 401, 503, 503, 503])
  assert.ok(service.logLines.every((line) => !line.includes(service.feedKey)))
})

test('a disk that is full is 503, and what was refused is stored when it is sent again', async (t) => {
  let isFull = false
  const { influx } = await start(
    t,
    {},
    {
      wrapSamples: async (store) => {
        return new Proxy(store, {
          get: (target, name) => {
            const member = Reflect.get(target, name)
            if (typeof member !== 'function') return member
            if (name !== 'append' && name !== 'keepRoom') return member.bind(target)
            return (...given: unknown[]) => {
              if (!isFull) return member.apply(target, given)
              const what = 'Cannot write: the disk is full'
              return Promise.reject(refusal('read_only', { what, retryAfterSeconds: 30 }))
            }
          },
        })
      },
    },
  )
  await influx.write('disk f=1 1')
  isFull = true
  for (const lines of ['disk f=2 2', 'disk,host=new f=1 1']) {
    const { status, headers } = await influx.write(lines)
    assert.equal(status, 503)
    assert.equal(headers.get('retry-after'), '30')
  }
  isFull = false
  assert.equal((await influx.write('disk f=2 2\ndisk,host=new f=1 1')).status, 204)
  assert.deepEqual(await influx.feed.get('disk', 'disk_f'), [
    [2, 2],
    [1, 1],
  ])
})

test('calls that make the same series at once make one stream', async (t) => {
  const { influx, owner } = await start(t)
  const bodies = Array.from({ length: 12 }, (_, at) =>
    Array.from(
      { length: 20 },
      (__, series) => `race,host=h${series % 3},n=${series} f=1 ${at + 1}`,
    ),
  )
  const answers = await Promise.all(bodies.map((lines) => influx.write(lines.join('\n'))))
  for (const { status, text } of answers) assert.equal(status, 204, text)
  assert.equal(await countStreams(owner), 20)
  assert.equal((await influx.feed.get('h0', 'race_f,n=0')).length, 12)
})

test('streams that are renamed, relabeled, and deleted while points arrive lose none that was acknowledged', async (t) => {
  const { influx, owner } = await start(t)
  await influx.write('busy,host=b keep=0 1\nbusy,host=b drop=0 1')
  const { uid } = (await owner('GET', '/api/component?id=b')).body.component[0]
  const streams = (await owner('GET', `/api/component/${uid}/stream`)).body.stream
  const [keep, drop] = streams
  let isDone = false
  const statuses = new Set<number>()
  const write = async () => {
    for (let at = 2; !isDone; at++) {
      const { status } = await influx.write(`busy,host=b keep=${at} ${at}`)
      statuses.add(status)
      await influx.write(`busy,host=b drop=${at} ${at}`)
      if (status !== 204) at -= 1
      last = at
    }
  }
  let last = 1
  const writing = write()
  for (let at = 0; at < 15; at++) {
    const stream = { id: `keep${at}`, labels: { round: String(at) } }
    const path = `/api/component/${uid}/stream/${keep.uid}`
    assert.equal((await owner('POST', path, { stream })).status, 200)
    if (at === 7) await owner('DELETE', `/api/component/${uid}/stream/${drop.uid}`)
  }
  isDone = true
  await writing
  for (const status of statuses) assert.ok(status === 204 || status === 503, String(status))
  const samples = await influx.feed.get('b', 'keep14', 'limit=1000')
  assert.equal(samples.length, Math.min(1_000, last))
  const after = (await owner('GET', `/api/component/${uid}/stream`)).body.stream
  assert.equal(after.length, 2)
})

test('new series of a component that is being deleted are stored, or are 503', async (t) => {
  const { influx, owner } = await start(t)
  const statuses = new Set<number>()
  let isDone = false
  let next = 0
  const write = async () => {
    while (!isDone) statuses.add((await influx.write(`gone,host=gone,n=${next++} v=1 1`)).status)
  }
  const writers = Array.from({ length: 6 }, write)
  for (let deleted = 0; deleted < 60; ) {
    const [found] = (await owner('GET', '/api/component?id=gone')).body.component
    if (found === undefined) continue
    await owner('DELETE', `/api/component/${found.uid}`)
    deleted += 1
  }
  isDone = true
  await Promise.all(writers)
  for (const status of statuses) assert.ok(status === 204 || status === 503, String(status))
})
