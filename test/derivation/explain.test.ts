/** What people are shown of derived streams before they save: previews, and what depends on what. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type Call, caller } from '../support/caller.ts'
import { ownerOfFile, serviceOfFile } from '../support/service-of-file.ts'
import { eventually } from '../support/settle.ts'

const START = Date.UTC(2026, 0, 1)
const MINUTE = 60_000

const service = serviceOfFile()
const owner = ownerOfFile(service)
let plant: string
let streams: Readonly<Record<string, string>>
before(async () => {
  const made = await owner('PUT', '/api/component', {
    component: {
      id: 'plant',
      timeZoneId: 'UTC',
      stream: [
        { id: 'a', valueType: 'DOUBLE' },
        { id: 'b', valueType: 'DOUBLE' },
        { id: 'word', valueType: 'STRING' },
        { id: 'empty', valueType: 'DOUBLE' },
      ],
    },
  })
  assert.equal(made.status, 200, made.text)
  plant = made.body.component.uid
  streams = idsOf(made.body.component.stream)
  const rows = Array.from({ length: 200 }, (_, at) => ({ time: START + at * MINUTE, at }))
  const feed = [
    ...rows.map(({ time, at }) => ['a', time, at] as const),
    // A sparser one, and one that ends before.
    ...rows.filter(({ at }) => at % 3 === 0).map(({ time, at }) => ['b', time, -at] as const),
    ...rows.slice(0, 150).map(({ time, at }) => ['word', time, `w${at}`] as const),
  ].map(([streamId, time, data]) => ({ compId: 'plant', streamId, time, data }))
  const put = await owner('PUT', '/api/feed', feed)
  assert.equal(put.status, 200, put.text)
})

const idsOf = (made: readonly { id: string; uid: string }[]): Record<string, string> =>
  Object.fromEntries(made.map(({ id, uid }) => [id, uid]))

const over = (expression: string, ...variables: (string | object)[]) => ({
  expression,
  variables: variables.map((one) => (typeof one === 'string' ? { name: one, streamId: one } : one)),
})

const preview = (stream: object, call: Call = owner) =>
  call('POST', `/api/component/${plant}/stream/preview`, { stream })

interface Row {
  readonly time: number
  readonly value: unknown
  readonly error: string
}

/** What a stream holds once it was saved and derived over history, the newest first. */
async function derived(stream: object): Promise<[number, unknown][]> {
  const path = `/api/component/${plant}/stream`
  const saved = await owner('PUT', path, { stream })
  assert.equal(saved.status, 200, saved.text)
  const { uid } = saved.body.stream
  const begun = await owner('POST', `${path}/${uid}/derive`, {})
  assert.equal(begun.status, 202, begun.text)
  await eventually(async () => {
    const { body } = await owner('GET', `/api/job/${begun.body.job.uid}`)
    assert.equal(body.job.status, 'DONE')
  })
  const { body } = await owner('GET', `${path}/${uid}/plot?points=4000`)
  assert.ok(body.plot, JSON.stringify(body))
  assert.equal((await owner('DELETE', `${path}/${uid}`)).status, 200)
  const { time, value } = body.plot as { time: number[]; value: unknown[] }
  return time.map((at, row): [number, unknown] => [at, value[row]]).reverse()
}

test('a preview has the newest results that the stream has once it is saved', async () => {
  const mean = { name: 'mean', streamId: 'a', cycleId: 'hour', stat: 'avg' }
  const formulas = [
    { derivation: over('a * 2', 'a') },
    { derivation: over('a + b', 'a', 'b') },
    { derivation: { ...over('a - b', 'a', 'b'), trigger: 'ANY' } },
    { derivation: over('a - before', 'a', { name: 'before', streamId: 'a', offset: -1 }) },
    { derivation: over('a - mean', 'a', mean) },
    { derivation: over('if(a > 100, NULL, a)', 'a') },
  ]
  for (const [at, stream] of formulas.entries()) {
    const shown = await preview({ id: 'x', ...stream })
    assert.equal(shown.status, 200, shown.text)
    const { rows, isCut, valueType } = shown.body.preview
    assert.deepEqual([isCut, valueType, rows.length], [false, 'DOUBLE', 50])
    const expected = await derived({ id: `x${at}`, ...stream })
    const got = (rows as Row[]).filter(({ value }) => value !== null)
    assert.deepEqual(
      got.map(({ time, value }) => [time, value]),
      expected.filter(([time]) => time >= rows.at(-1).time).slice(0, 50),
      stream.derivation.expression,
    )
  }
})

test('interval results, texts and booleans are previewed as they are kept', async () => {
  const hourly = { streamType: 'intvl_stream', baseCycle: { id: 'hour' } }
  const shown = await preview({ ...hourly, derivation: over('a', 'a') })
  assert.equal(shown.status, 200, shown.text)
  const ends = [3, 2, 1].map((hour) => START + hour * 60 * MINUTE)
  assert.deepEqual(
    shown.body.preview.rows.slice(0, 3).map(({ time, value }: Row) => [time, value]),
    ends.map((end, at) => [end, 149.5 - at * 60]),
  )
  const texts = await preview({ derivation: over("word || '!'", 'word') })
  assert.equal(texts.body.preview.rows[0].value, 'w149!')
  const truths = await preview({ derivation: over('a > 198', 'a') })
  assert.deepEqual(
    truths.body.preview.rows.slice(0, 2).map(({ value }: Row) => value),
    [true, false],
  )
  const none = await preview({ derivation: over('a + empty', 'a', 'empty') })
  assert.deepEqual(none.body.preview.rows, [])
})

test('rows on which a formula fails have an error, and nothing is stored', async () => {
  const before = (await owner('GET', `/api/component/${plant}/stream`)).text
  const shown = await preview({ derivation: over('sqrt(190 - a)', 'a') })
  const [first] = shown.body.preview.rows
  assert.match(first.error, /sqrt|not/i)
  assert.deepEqual([first.value, first.values], [null, { a: 199 }])
  assert.equal(shown.body.preview.rows[9].value, 0)
  assert.equal((await owner('GET', `/api/component/${plant}/stream`)).text, before)
})

test('a preview refuses what a save would, at the same field', async () => {
  const own = { uid: streams.a, derivation: over('a', { name: 'a', streamUid: streams.a }) }
  for (const [stream, field] of [
    [{}, 'stream.derivation'],
    [{ derivation: over('a +', 'a') }, 'stream.derivation.expression'],
    [{ derivation: over('a', { name: 'a', streamId: 'none' }) }, /variables\[0\]\.streamId$/],
    [{ derivation: over('a') }, /variables$/],
    [own, /variables$/],
    [{ streamType: 'point_stream', derivation: over('a', 'a') }, /./],
  ] as const) {
    const { status, body, text } = await preview(stream)
    assert.equal(status, 400, text)
    assert.match(body.field ?? '', field instanceof RegExp ? field : new RegExp(`^${field}$`), text)
  }
})

async function keyFor(...capabilities: object[]): Promise<Call> {
  const made = await owner('PUT', '/api/api_key', { api_key: { name: 'k', capabilities } })
  assert.equal(made.status, 200, made.text)
  return caller(service, `api_key=${made.body.api_key.secretKey}`)
}

test('a preview reveals no samples of sources that the caller may not read', async () => {
  const made = await owner('PUT', '/api/component', {
    component: { id: 'secret', stream: [{ id: 's', valueType: 'DOUBLE' }] },
  })
  assert.equal(made.status, 200, made.text)
  const key = await keyFor({ resource: `component/${plant}/stream`, methods: ['GET'] })
  assert.equal((await preview({ derivation: over('a', 'a') }, key)).status, 200)
  const hidden = { name: 's', componentId: 'secret', streamId: 's' }
  const none = { ...hidden, componentId: 'nowhere' }
  const reply = await preview({ derivation: over('s', hidden) }, key)
  const untrue = await preview({ derivation: over('s', none) }, key)
  assert.deepEqual([reply.status, untrue.status], [403, 403])
  assert.equal(reply.body.message, untrue.body.message.replaceAll('nowhere', 'secret'))
  const stranger = await keyFor({ resource: 'unit', methods: ['GET'] })
  assert.equal((await preview({ derivation: over('a', 'a') }, stranger)).status, 403)
})

test('the graph has sources, what is derived, and hidden streams without their names', async () => {
  const path = `/api/component/${plant}/stream`
  const add = async (id: string, ...names: string[]) => {
    const made = await owner('PUT', path, {
      stream: { id, derivation: over(names.join(' + '), ...names) },
    })
    assert.equal(made.status, 200, made.text)
    return made.body.stream.uid as string
  }
  const sum = await add('sum', 'a', 'b')
  const twice = await add('twice', 'sum')
  const last = await add('last', 'twice', 'a')
  const graphOf = async (uid: string, call = owner) => {
    const { status, body, text } = await call('GET', `${path}/${uid}/graph`)
    assert.equal(status, 200, text)
    return body.graph
  }
  type Node = { level: number; streamId: string; isHidden: boolean; streamUid: string }
  const levels = (nodes: Node[]) => nodes.map(({ level, streamId }) => [streamId, level])
  const graph = await graphOf(twice)
  assert.equal(graph.isWhole, true)
  assert.deepEqual(levels(graph.nodes), [
    ['twice', 0],
    ['sum', -1],
    ['a', -2],
    ['b', -2],
    ['last', 1],
  ])
  const named = graph.edges.map(({ from, to }: { from: number; to: number }) =>
    [from, to].map((at) => graph.nodes[at].streamId).join('→'),
  )
  assert.deepEqual(named.sort(), ['a→sum', 'b→sum', 'sum→twice', 'twice→last'])
  const key = await keyFor({ resource: `component/${plant}/stream/${twice}`, methods: ['GET'] })
  const seen = await graphOf(twice, key)
  assert.deepEqual(levels(seen.nodes), [
    ['twice', 0],
    ['', -1],
    ['', 1],
  ])
  assert.deepEqual(
    seen.nodes.slice(1).map(({ isHidden, streamUid }: Node) => [isHidden, streamUid]),
    [
      [true, ''],
      [true, ''],
    ],
  )
  assert.equal((await key('GET', `${path}/${sum}/graph`)).status, 403)
  assert.equal((await owner('GET', `${path}/${service.orgUid}/graph`)).status, 404)
  assert.ok(last !== '')
})
