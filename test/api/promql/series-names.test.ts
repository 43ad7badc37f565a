/** Which series streams are: names, equal labels, types, intervals, points, look-back. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../../src/base/index.ts'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { type PromClient, promClient } from '../../support/promql-client.ts'
import { type Service, startService } from '../../support/service.ts'

const NOW = 1_700_000_000_000
const MINUTE = 60_000

interface World {
  readonly service: Service
  readonly owner: Call
  readonly client: PromClient
}

async function withWorld(check: (world: World) => Promise<void>): Promise<void> {
  const service = await startService({ clock: new ManualClock(NOW) })
  try {
    const owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
    await check({ service, owner, client: promClient(service) })
  } finally {
    await service.close()
  }
}

async function putComponent({ owner }: World, component: object) {
  const made = await owner('PUT', '/api/component', { component })
  assert.equal(made.status, 200, made.text)
  return made.body.component
}

async function putSamples({ owner }: World, compId: string, samples: readonly object[]) {
  const body = samples.map((sample) => ({ compId, ...sample }))
  const answer = await owner('PUT', '/api/feed', body)
  assert.equal(answer.status, 200, answer.text)
}

/** The series of an instant query with their values, by their labels as JSON. */
async function valuesOf({ client }: World, query: string, time = NOW / 1000) {
  const { body, status, text } = await client.get('/api/v1/query', { query, time })
  assert.equal(status, 200, text)
  const values = body.data.result.map(
    ({ metric, value }: { metric: object; value: [number, string] }) => [
      JSON.stringify(metric),
      value[1],
    ],
  )
  return { ...body, values: Object.fromEntries(values) }
}

test('streams without a label __name__ are named by their component and ID', () =>
  withWorld(async (world) => {
    const { uid, stream } = await putComponent(world, {
      id: '',
      stream: [{ id: '', valueType: 'DOUBLE', labels: { site: 'north' } }],
    })
    await putComponent(world, {
      id: 'a b',
      stream: [
        { id: 'temp', valueType: 'LONG', labels: { site: 'south' } },
        { id: 'x', valueType: 'LONG', labels: { __name__: 'up', job: 'j' } },
      ],
    })
    await putSamples(world, 'a b', [
      { streamId: 'temp', data: 7, time: NOW },
      { streamId: 'x', data: 1, time: NOW },
    ])
    const path = `/api/component/${uid}/stream/${stream[0].uid}`
    const series = await world.client.data('/api/v1/series', {
      'match[]': ['{__name__=~".+"}'],
    })
    assert.ok(path)
    assert.deepEqual(
      series,
      [
        { __name__: stream[0].uid, component: uid, site: 'north' },
        { __name__: 'temp', component: 'a b', site: 'south' },
        { __name__: 'up', job: 'j' },
      ].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    )
    const { values } = await valuesOf(world, '{site="south"} or up')
    assert.deepEqual(values, {
      '{"__name__":"temp","component":"a b","site":"south"}': '7',
      '{"__name__":"up","job":"j"}': '1',
    })
  }))

test('of streams with equal labels the later ones get __stream__, with a warning', () =>
  withWorld(async (world) => {
    const labels = { __name__: 'm', job: 'j' }
    const made = []
    for (const id of ['a', 'b', 'c']) {
      made.push(
        await putComponent(world, { id, stream: [{ id: 's', valueType: 'DOUBLE', labels }] }),
      )
      await putSamples(world, id, [{ streamId: 's', data: made.length, time: NOW }])
    }
    const [, b, c] = made.map(({ stream }) => stream[0].uid)
    const { values, warnings } = await valuesOf(world, 'm')
    assert.deepEqual(values, {
      '{"__name__":"m","job":"j"}': '1',
      [`{"__name__":"m","__stream__":"${b}","job":"j"}`]: '2',
      [`{"__name__":"m","__stream__":"${c}","job":"j"}`]: '3',
    })
    assert.match(warnings[0], /2 streams have the labels of other streams/)
    const one = await valuesOf(world, `m{__stream__="${c}"}`)
    assert.deepEqual(Object.values(one.values), ['3'])
    assert.deepEqual(Object.values((await valuesOf(world, 'm{__stream__=""}')).values), ['1'])
    const shown = await world.client.data('/api/v1/label/__stream__/values')
    assert.deepEqual(shown, [b, c].sort())
  }))

test('a name that no series has finds names with other characters in place of _', () =>
  withWorld(async (world) => {
    await putComponent(world, { id: 'a', stream: [{ id: 'room temp-1', valueType: 'DOUBLE' }] })
    await putSamples(world, 'a', [{ streamId: 'room temp-1', data: 20, time: NOW }])
    const labels = '{"__name__":"room temp-1","component":"a"}'
    const exact = await valuesOf(world, '{"room temp-1"}')
    assert.deepEqual([exact.values, exact.infos], [{ [labels]: '20' }, undefined])
    const alike = await valuesOf(world, 'room_temp_1{component="a"}')
    assert.deepEqual(alike.values, { [labels]: '20' })
    assert.match(alike.infos[0], /no series is named "room_temp_1".*"room temp-1"/)
    assert.deepEqual((await valuesOf(world, 'room_temp_1{component="b"}')).values, {})
    await putComponent(world, { id: 'b', stream: [{ id: 'room_temp_1', valueType: 'DOUBLE' }] })
    await putSamples(world, 'b', [{ streamId: 'room_temp_1', data: 21, time: NOW }])
    const named = await valuesOf(world, 'room_temp_1')
    assert.deepEqual(named.values, { '{"__name__":"room_temp_1","component":"b"}': '21' })
    assert.equal(named.infos, undefined)
  }))

test('numbers and booleans are series; decimals are the nearest doubles; texts are none', () =>
  withWorld(async (world) => {
    const types = ['DOUBLE', 'FLOAT', 'LONG', 'INTEGER', 'SHORT', 'BIG_DECIMAL']
    const others = ['BOOLEAN', 'ELEVATION', 'LATITUDE', 'LONGITUDE', 'STRING', 'FILE']
    await putComponent(world, {
      id: 'a',
      stream: [...types, ...others].map((valueType) => ({ id: valueType, valueType })),
    })
    const data = (type: string) => (type === 'BOOLEAN' ? true : type === 'STRING' ? 'x' : 2)
    await putSamples(
      world,
      'a',
      [...types, ...others.slice(0, 5)].map((type) => ({
        streamId: type,
        data: data(type),
        time: NOW,
      })),
    )
    const { values } = await valuesOf(world, '{component="a"}')
    const shown = Object.entries(values).map(([labels, value]) => [
      JSON.parse(labels).__name__,
      value,
    ])
    const expected = [...types, ...others.slice(0, 4)].map((type) => [
      type,
      type === 'BOOLEAN' ? '1' : '2',
    ])
    assert.deepEqual(shown.sort(), expected.sort())
  }))

test('interval samples lie at their ends and count for two intervals; a gap is no sample', () =>
  withWorld(async (world) => {
    const start = Math.floor(NOW / 3_600_000) * 3_600_000
    await putComponent(world, {
      id: 'a',
      timeZoneId: 'Etc/UTC',
      stream: [
        { id: 'h', valueType: 'DOUBLE', streamType: 'intvl_stream', baseCycle: { id: 'hour' } },
      ],
    })
    await putSamples(world, 'a', [
      { streamId: 'h', data: 1, time: start },
      { streamId: 'h', data: 3, time: start + 2 * 3_600_000 },
    ])
    const at = async (time: number) =>
      Object.values((await valuesOf(world, 'h', time / 1000)).values)
    const raw = await world.client.data('/api/v1/query', {
      query: 'h[1d]',
      time: start / 1000 + 12 * 3600,
    })
    const times = raw.result[0].values.map(([time]: [number]) => time * 1000)
    assert.equal(times.length, 2)
    const [first] = times
    assert.deepEqual(await at(first - 1), [])
    assert.deepEqual(await at(first), ['1'])
    assert.deepEqual(await at(first + 2 * 3_600_000 - 1), ['1'])
    assert.deepEqual(await at(times[1] + 2 * 3_600_000 - 1), ['3'])
    assert.deepEqual(await at(times[1] + 2 * 3_600_000), [])
  }))

test('a sample counts for 5 minutes, or as long as its stream or the call says', () =>
  withWorld(async (world) => {
    const stream = [
      { id: 'plain', valueType: 'DOUBLE' },
      { id: 'long', valueType: 'DOUBLE', lookbackMs: 20 * MINUTE },
      { id: 'short', valueType: 'DOUBLE', lookbackMs: MINUTE },
    ]
    await putComponent(world, { id: 'a', stream })
    await putSamples(
      world,
      'a',
      stream.map(({ id }) => ({ streamId: id, data: 1, time: NOW })),
    )
    const shown = async (minutes: number, more = {}) => {
      const { data } = (
        await world.client.get('/api/v1/query', {
          query: '{component="a"}',
          time: NOW / 1000 + minutes * 60,
          ...more,
        })
      ).body
      return data.result.map(({ metric }: { metric: { __name__: string } }) => metric.__name__)
    }
    assert.deepEqual(await shown(0.5), ['long', 'plain', 'short'])
    assert.deepEqual(await shown(4), ['long', 'plain'])
    assert.deepEqual(await shown(5), ['long'])
    assert.deepEqual(await shown(20), [])
    assert.deepEqual(await shown(20, { lookback_delta: '1h' }), ['long', 'plain', 'short'])
    const step = { start: NOW / 1000, end: NOW / 1000 + 1800, step: 60 }
    const { result } = await world.client.data('/api/v1/query_range', {
      query: '{component="a"}',
      ...step,
    })
    const counts = result.map(({ values }: { values: unknown[] }) => values.length)
    assert.deepEqual(counts, [20, 5, 1])
  }))

test('a template gives its streams a look-back', () =>
  withWorld(async (world) => {
    const { owner, client } = world
    const made = await owner('PUT', '/api/component_template', {
      component_template: {
        id: 't',
        stream: [{ id: 's', valueType: 'DOUBLE', lookbackMs: 30 * MINUTE }],
      },
    })
    assert.equal(made.status, 200, made.text)
    const put = await owner('PUT', `/api/feed?compId=n&compTmplId=t&s=1&time=${NOW}`)
    assert.equal(put.status, 200, put.text)
    const { result } = await client.data('/api/v1/query', {
      query: 's',
      time: NOW / 1000 + 29 * 60,
    })
    assert.equal(result.length, 1, JSON.stringify(put.body))
  }))
