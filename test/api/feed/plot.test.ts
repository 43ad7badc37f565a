import assert from 'node:assert/strict'
import { get, type IncomingHttpHeaders } from 'node:http'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { ManualClock } from '../../../src/base/index.ts'
import { caller, signIn } from '../../support/caller.ts'
import { FeedClient, pathOf } from '../../support/feed-client.ts'
import { Random, testSeeds } from '../../support/random.ts'
import { serviceOfFile } from '../../support/service-of-file.ts'

const T0 = 1_700_000_000_000
const HOUR = 3_600_000
const clock = new ManualClock(T0)
const service = serviceOfFile({ clock })
const client = new FeedClient(service)

type Value = number | string | boolean | null
interface Plot {
  readonly component: { uid: string; id: string }
  readonly stream: { uid: string; id: string }
  readonly form: 'samples' | 'changes' | 'spans' | 'periods'
  readonly kind: string
  readonly unit: string
  readonly timeZone: string
  readonly from: number
  readonly until: number
  readonly spanMs?: number
  readonly more?: boolean
  readonly firstTime: number | null
  readonly lastTime: number | null
  readonly before: { time: number; value: Value } | null
  readonly after: { time: number; value: Value } | null
  readonly start: number[]
  readonly time: number[]
  readonly end: number[]
  readonly count: number[]
  readonly value: Value[]
  readonly first: Value[]
  readonly min: Value[]
  readonly max: Value[]
  readonly last: Value[]
  readonly mean: Value[]
}

async function plot(streamId: string, query = ''): Promise<Plot> {
  const { status, text } = await client.call('GET', `${pathOf('c', streamId)}/plot?${query}`)
  assert.equal(status, 200, text)
  return JSON.parse(text).plot
}

async function put(streamId: string, samples: Iterable<readonly [number, Value]>): Promise<void> {
  const body = Array.from(samples, ([time, data]) => ({ compId: 'c', streamId, time, data }))
  const answer = await client.putJson(body)
  assert.equal(answer.status, 200, answer.text)
}

const sumOf = (values: readonly Value[]): number =>
  values.reduce<number>((sum, value) => sum + Number(value), 0)

function checkSpans(shown: Plot, all: readonly (readonly [number, number])[]): void {
  const inside = all.filter(([time]) => time >= shown.from && time < shown.until)
  assert.equal(sumOf(shown.count), inside.length)
  for (const [at, start] of shown.start.entries()) {
    assert.ok(at === 0 || start > shown.end[at - 1])
    const samples = inside.filter(([time]) => time >= start && time <= shown.end[at])
    const values = samples.map(([, value]) => value)
    assert.equal(shown.count[at], samples.length)
    assert.deepEqual([start, shown.end[at]], [samples[0][0], samples[samples.length - 1][0]])
    assert.deepEqual([shown.first[at], shown.last[at]], [values[0], values[values.length - 1]])
    assert.deepEqual([shown.min[at], shown.max[at]], [Math.min(...values), Math.max(...values)])
    assert.ok(Math.abs(Number(shown.mean[at]) - sumOf(values) / values.length) < 1e-9)
  }
}

for (const seed of testSeeds(1)) {
  test(`a plot shows what a range holds, few or many (WEIR_TEST_SEED=${seed})`, async () => {
    const random = new Random(seed)
    let time = T0
    const all = Array.from({ length: 6_000 }, (): [number, number] => {
      time += random.pick([1_000, 1_000, 1_000, 90_000])
      return [time, random.integer(-1_000, 1_000) / 10]
    })
    await put('random', all)
    for (let round = 0; round < 40; round++) {
      const from = T0 + random.integer(-HOUR, time - T0)
      const until = from + random.integer(1, time - T0)
      const points = random.pick([1, 2, 17, 500, 4_000])
      const shown = await plot('random', `from=${from}&until=${until}&points=${points}`)
      const inside = all.filter(([at]) => at >= from && at < until)
      assert.deepEqual([shown.from, shown.until], [from, until])
      assert.equal(shown.before?.time, all.findLast(([at]) => at < from)?.[0])
      assert.equal(shown.after?.value, all.find(([at]) => at >= until)?.[1])
      if (inside.length <= points) {
        assert.equal(shown.form, 'samples')
        assert.deepEqual(
          shown.time.map((at, i) => [at, shown.value[i]]),
          inside,
        )
      } else {
        assert.equal(shown.form, 'spans')
        assert.ok(shown.start.length <= points)
        checkSpans(shown, all)
      }
    }
  })
}

test('a time of minus zero is 0 in plots and statistics', async () => {
  const forms = ['-0', '-0.0', '"-0"', '-0e5']
  const body = forms.map((time, at) => `{"compId":"c","streamId":"z${at}","time":${time},"data":5}`)
  const answer = await client.call('PUT', '/feed', { body: `[${body.join()}]` })
  assert.equal(answer.status, 200, answer.text)
  for (const at of forms.keys()) {
    assert.ok(Object.is((await plot(`z${at}`)).time[0], 0), forms[at])
    const path = `${pathOf('c', `z${at}`)}/cycle/hour/stat/minoccurrence/feed`
    assert.equal((await client.call('GET', path)).text, '[{"time":3600000,"data":0}]')
  }
})

test('a plot of more points than there may be is one of as many as there may be', async () => {
  await put(
    'long',
    Array.from({ length: 5_000 }, (_, at): [number, number] => [T0 + at * 1_000, at]),
  )
  const most = await plot('long', 'points=4000')
  assert.equal(most.form, 'spans')
  for (const points of [4_001, 1_000_000]) {
    assert.deepEqual(await plot('long', `points=${points}`), most)
  }
})

test('a plot without a range is of the whole stream, and says what it is of', async () => {
  await put('few', [
    [T0, 1],
    [T0 + HOUR, 2.5],
  ])
  const shown = await plot('few')
  assert.deepEqual([shown.component.id, shown.stream.id], ['c', 'few'])
  assert.deepEqual([shown.form, shown.kind, shown.timeZone], ['samples', 'number', 'UTC'])
  assert.deepEqual([shown.from, shown.until], [T0, T0 + HOUR + 1])
  assert.deepEqual([shown.firstTime, shown.lastTime], [T0, T0 + HOUR])
  assert.deepEqual(
    [shown.time, shown.value],
    [
      [T0, T0 + HOUR],
      [1, 2.5],
    ],
  )
  const between = await plot('few', `from=${T0 + 1}&until=${T0 + 2}`)
  assert.deepEqual(between.time, [])
  assert.deepEqual(between.before, { time: T0, value: 1 })
  assert.deepEqual(between.after, { time: T0 + HOUR, value: 2.5 })
})

test('a plot of a stream without samples is an empty day', async () => {
  assert.equal((await client.put('compId=c&data=1&rsid=empty')).status, 200)
  const shown = await plot('empty')
  assert.deepEqual([shown.form, shown.time, shown.firstTime], ['samples', [], null])
  assert.deepEqual([shown.from, shown.until], [T0 - 24 * HOUR, T0])
  assert.deepEqual([shown.before, shown.after], [null, null])
})

test('texts are samples, then changes, then spans', async () => {
  const states = ['off', 'on', 'x'.repeat(300)]
  const all = Array.from(
    { length: 900 },
    (_, at) => [T0 + at * 1_000, states[Math.floor(at / 100) % 3]] as const,
  )
  await put('state', all)
  const whole = await plot('state', 'points=900')
  assert.deepEqual([whole.form, whole.kind, whole.value[0]], ['samples', 'text', 'off'])
  assert.equal(whole.value[200], `${'x'.repeat(200)}…`)
  const changes = await plot('state', 'points=899')
  assert.equal(changes.form, 'changes')
  assert.deepEqual(changes.count, new Array(9).fill(100))
  assert.deepEqual(changes.time.slice(0, 2), [T0, T0 + 100_000])
  assert.deepEqual(changes.end.slice(0, 2), [T0 + 99_000, T0 + 199_000])
  assert.deepEqual(changes.value.slice(0, 2), ['off', 'on'])
  const spans = await plot('state', 'points=4')
  assert.equal(spans.form, 'spans')
  assert.equal(sumOf(spans.count), 900)
  assert.deepEqual([spans.first[0], spans.min[0], spans.mean[0]], ['off', null, null])
})

async function insertStreams(): Promise<{ uid: string; stream: { id: string; uid: string }[] }> {
  const call = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
  const stream = [
    { id: 'flag', valueType: 'BOOLEAN' },
    { id: 'digits', valueType: 'BIG_DECIMAL' },
    { id: '', name: 'nameless', valueType: 'DOUBLE' },
    { id: 'hourly', valueType: 'DOUBLE', streamType: 'intvl_stream', baseCycle: { id: 'hour' } },
    { id: 'point', valueType: 'DOUBLE', streamType: 'point_stream' },
  ]
  const { status, text, body } = await call('PUT', '/api/component', {
    component: { id: 'kinds', stream },
  })
  assert.equal(status, 200, text)
  return body.component
}

test('plots of the other kinds of streams', async (t) => {
  const { uid, stream } = await insertStreams()
  const shownOf = async (id: string, query: string): Promise<Plot> => {
    const found = stream.find((one) => one.id === id)
    const path = `/component/${uid}/stream/${found?.uid}/plot?${query}`
    const { status, text } = await client.call('GET', path)
    assert.equal(status, 200, text)
    return JSON.parse(text).plot
  }
  const send = async (id: string, values: readonly (readonly [number, Value])[]) => {
    const streamUid = stream.find((one) => one.id === id)?.uid
    const [time, data] = [values.map(([at]) => at), values.map(([, value]) => value)]
    const feed = { component: [{ componentUid: uid, stream: [{ streamUid, time, data }] }] }
    const answer = await client.putJson({ feed })
    assert.equal(answer.status, 200, answer.text)
  }
  await t.test('booleans are true and false, with the share that is true', async () => {
    await send('flag', [
      [T0, true],
      [T0 + 1, false],
      [T0 + 2, true],
      [T0 + 3, true],
    ])
    assert.deepEqual((await shownOf('flag', '')).value, [true, false, true, true])
    const spans = await shownOf('flag', 'points=1')
    assert.deepEqual(
      [spans.first, spans.min, spans.max, spans.last],
      [[true], [false], [true], [true]],
    )
    assert.deepEqual([spans.mean, spans.count], [[0.75], [4]])
  })
  await t.test('decimals keep their digits', async () => {
    const long = '123456789012345678901234567890.5'
    await send('digits', [
      [T0, '1.10'],
      [T0 + 1, long],
      [T0 + 2, '-3'],
    ])
    assert.equal((await shownOf('digits', '')).value[1], long)
    const spans = await shownOf('digits', 'points=1')
    assert.deepEqual([spans.kind, spans.min, spans.max], ['decimal', ['-3'], [long]])
  })
  await t.test('a stream without an ID is found by its UID', async () => {
    await send('', [[T0, 4]])
    assert.deepEqual((await shownOf('', '')).value, [4])
  })
  await t.test('intervals have their start, and are selected by overlap', async () => {
    const start = Math.ceil(T0 / HOUR) * HOUR
    await send('hourly', [
      [start + HOUR, 1],
      [start + 2 * HOUR, 2],
      [start + 4 * HOUR, 4],
    ])
    const shown = await shownOf('hourly', `from=${start + 1}&until=${start + 2 * HOUR}`)
    assert.deepEqual(shown.start, [start, start + HOUR])
    assert.deepEqual(shown.value, [1, 2])
    assert.deepEqual(shown.after, { time: start + 4 * HOUR, value: 4 })
    const spans = await shownOf('hourly', `from=${start}&until=${start + 4 * HOUR}&points=2`)
    assert.equal(sumOf(spans.count), 3)
    assert.deepEqual([spans.start[0], spans.end.at(-1)], [start, start + 4 * HOUR])
    for (const query of ['', `until=${start + 5 * HOUR}`]) {
      const whole = await shownOf('hourly', query)
      assert.deepEqual([whole.from, whole.start[0], whole.value[0]], [start, start, 1])
      assert.equal(whole.before, null)
    }
    assert.equal(sumOf((await shownOf('hourly', 'points=2')).count), 3)
  })
  await t.test('the one sample of a point stream is shown in every range', async () => {
    await send('point', [[T0, 7]])
    const shown = await shownOf('point', `from=${T0 + HOUR}&until=${T0 + 2 * HOUR}`)
    assert.deepEqual(shown.value, [7])
  })
})

test('with cycle and stat a plot has the statistic for each period', async () => {
  const day = Math.floor(T0 / (24 * HOUR)) * 24 * HOUR
  await put(
    'cycled',
    Array.from({ length: 48 }, (_, at) => [day + at * HOUR, at] as const),
  )
  const shown = await plot('cycled', 'cycle=day&stat=max')
  assert.deepEqual([shown.form, shown.start], ['periods', [day, day + 24 * HOUR]])
  assert.deepEqual([shown.value, shown.more], [[23, 47], undefined])
  const last = await plot('cycled', 'cycle=day&stat=max&points=1')
  assert.deepEqual([last.value, last.more], [[47], true])
})

test('a plot asked for by sd and ed is four columns', async () => {
  await put('plain', [
    [T0, 3],
    [T0 + 1, 1],
    [T0 + 2, 2],
  ])
  await put('words', [[T0, 'on']])
  const plain = async (id: string, query: string) =>
    JSON.parse((await client.call('GET', `${pathOf('c', id)}/plot?${query}`)).text)
  const three = [3, 1, 2]
  assert.deepEqual(await plain('plain', `sd=${T0}&ed=${T0 + 9}&points=10`), {
    sd: T0,
    ed: T0 + 9,
    columns: { time: [T0, T0 + 1, T0 + 2], min: three, max: three, last: three },
  })
  const { columns } = await plain('plain', `sd=${T0}&points=1`)
  assert.deepEqual(columns, { time: [T0 + 2], min: [1], max: [3], last: [2] })
  const words = await plain('words', `ed=${T0 + 1}`)
  assert.deepEqual(words.columns, { time: [T0], min: [null], max: [null], last: ['on'] })
  const mixed = await client.call('GET', `${pathOf('c', 'plain')}/plot?sd=1&until=2`)
  assert.equal(mixed.status, 400)
  assert.match(JSON.parse(mixed.text).message, /Remove "until"/)
})

test('an invalid plot is reported by parameter', async () => {
  await put('wrong', [[T0, 1]])
  const check = async (query: string, status: number, message: RegExp): Promise<void> => {
    const answer = await client.call('GET', `${pathOf('c', 'wrong')}/plot?${query}`)
    assert.equal(answer.status, status, query)
    assert.match(JSON.parse(answer.text).message, message)
  }
  await check('from=x', 400, /"from"/)
  await check('until=1.5', 400, /"until"/)
  await check('points=0', 400, /"points"/)
  await check('points=many', 400, /"points"/)
  await check('from=5&until=5', 400, /"from" \(5\) must be before "until" \(5\)/)
  await check('cycle=day', 400, /"stat"/)
  await check('stat=max', 400, /"cycle"/)
  await check('cycle=day&stat=most', 404, /most/)
  await check('cycle=never&stat=max', 404, /never/)
  const missing = await client.call('GET', `${pathOf('c', 'nowhere')}/plot`)
  assert.equal(missing.status, 404)
  const far = await plot(
    'wrong',
    `from=${Number.MIN_SAFE_INTEGER}&until=${Number.MAX_SAFE_INTEGER}`,
  )
  assert.deepEqual(far.value, [1])
  assert.equal((await plot('wrong', 'points=99999999')).form, 'samples')
  for (const from of [T0 + 1, T0 + 1_000_000, Number.MAX_SAFE_INTEGER - 1]) {
    const behind = await plot('wrong', `from=${from}`)
    assert.deepEqual([behind.form, behind.value], ['samples', []])
  }
})

test('a plot needs the right to read the feed, and says nothing of UIDs of others', async () => {
  const none = await fetch(`${service.url}/api${pathOf('c', 'wrong')}/plot`)
  assert.equal(none.status, 401)
  const uid = '0192f3a1-7c1e-4b7a-9d55-0a1b2c3d4e5f'
  const foreign = await client.call('GET', `/component/${uid}/stream/${uid}/plot`)
  assert.equal(foreign.status, 404)
})

test('a long plot is packed for who takes gzip, and is the same as otherwise', async () => {
  await put(
    'packed',
    Array.from({ length: 4_000 }, (_, at) => [T0 + at * 1_000, Math.sin(at / 100)] as const),
  )
  const ask = (encoding: string, query: string): Promise<[IncomingHttpHeaders, Buffer]> =>
    new Promise((resolve, reject) => {
      const headers = { 'accept-encoding': encoding, 'x-api-key': service.feedKey }
      const address = `${service.url}/api${pathOf('c', 'packed')}/plot?${query}`
      get(address, { headers }, (answer) => {
        const parts: Buffer[] = []
        answer.on('data', (part: Buffer) => parts.push(part))
        answer.on('end', () => resolve([answer.headers, Buffer.concat(parts)]))
      }).on('error', reject)
    })
  const all = 'points=4000'
  const [plainHeaders, plain] = await ask('identity', all)
  assert.equal(plainHeaders['content-encoding'], undefined)
  assert.equal(plainHeaders.vary, 'accept-encoding')
  const [headers, packed] = await ask('gzip, deflate', all)
  assert.deepEqual([headers['content-encoding'], headers.vary], ['gzip', 'accept-encoding'])
  assert.ok(packed.length < plain.length * 0.6, `${packed.length} of ${plain.length} bytes`)
  assert.deepEqual(gunzipSync(packed), plain)
  const [short] = await ask('gzip, deflate', 'points=10')
  assert.equal(short['content-encoding'], undefined)
})
