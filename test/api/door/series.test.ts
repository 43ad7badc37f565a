import assert from 'node:assert/strict'
import { test } from 'node:test'
import { caller } from '../../support/caller.ts'
import { InfluxClient } from '../../support/influx-client.ts'
import { ownerOfFile, serviceOfFile } from '../../support/service-of-file.ts'

const service = serviceOfFile()
const influx = new InfluxClient(service)
const owner = ownerOfFile(service)

interface StreamShown {
  readonly uid: string
  readonly id: string
  readonly valueType: string
  readonly labels?: Record<string, string>
  readonly series?: Record<string, string>
  readonly delete_profile: { readonly uid: string } | null
}

interface ComponentShown {
  readonly uid: string
  readonly id: string
  readonly folder: string
  readonly addressedAs?: readonly string[]
  readonly stream: readonly StreamShown[]
}

async function findComponent(id: string): Promise<ComponentShown | undefined> {
  const { body } = await owner('GET', `/api/component?id=${encodeURIComponent(id)}`)
  const [found] = body.component
  if (found === undefined) return undefined
  return (await owner('GET', `/api/component/${found.uid}`)).body.component
}

async function componentOf(id: string): Promise<ComponentShown> {
  return (await findComponent(id)) ?? assert.fail(`component ${id} is missing`)
}

async function write(lines: string, key?: string): Promise<void> {
  const headers = key === undefined ? {} : { authorization: `Token ${key}` }
  const answer = await influx.post('/write?precision=ms', lines, headers as Record<string, string>)
  assert.equal(answer.status, 204, answer.text)
}

async function insert(noun: string, record: object) {
  const { status, body, text } = await owner('PUT', `/api/${noun}`, { [noun]: record })
  assert.equal(status, 200, text)
  return body[noun]
}

async function change(path: string, noun: string, record: object) {
  const { status, body, text } = await owner('POST', path, { [noun]: record })
  assert.equal(status, 200, text)
  return body[noun]
}

async function keyWithRule(addressRule: object): Promise<string> {
  const capabilities = [{ resource: 'component/*/feed', methods: ['GET', 'PUT'] }]
  return (await insert('api_key', { name: 'rule', capabilities, addressRule })).secretKey
}

test('a stream is found by its series: renaming, moving, and labels never make a new one', async () => {
  await write('found,host=f1 v=1 1')
  const component = await componentOf('f1')
  const [stream] = component.stream
  await change(`/api/component/${component.uid}/stream/${stream?.uid}`, 'stream', {
    id: 'renamed',
    labels: { site: 'north', empty: '' },
  })
  await change(`/api/component/${component.uid}`, 'component', {
    id: 'f1 moved',
    folder: '/Components/site',
  })
  await write('found,host=f1 v=2 2')
  await service.restart()
  await write('found,host=f1 v=3 3')
  const after = await componentOf('f1 moved')
  const [same, ...others] = after.stream
  assert.equal(others.length, 0)
  assert.deepEqual([same?.id, same?.labels], ['renamed', { site: 'north' }])
  assert.deepEqual(same?.series, { __name__: 'found_v', host: 'f1' })
  assert.equal((await influx.feed.get('f1 moved', 'renamed')).length, 3)
  assert.equal(await findComponent('f1'), undefined)
})

test('a new series goes to the component that is addressed by its text, whatever its ID is', async () => {
  await write('addressed,host=g1 v=1 1')
  const { uid } = await componentOf('g1')
  await change(`/api/component/${uid}`, 'component', { id: 'g1 renamed' })
  await write('addressed,host=g1 w=1 1')
  assert.equal((await componentOf('g1 renamed')).stream.length, 2)
  await change(`/api/component/${uid}`, 'component', { addressedAs: [] })
  await write('addressed,host=g1 x=1 1')
  assert.deepEqual(
    (await componentOf('g1')).stream.map(({ id }) => id),
    ['addressed_x'],
  )
})

test('a component that is found by its ID is addressed from then on; addresses can only be taken away', async () => {
  const { uid } = await insert('component', { id: 'known' })
  await write('m,host=known v=1 1')
  assert.deepEqual((await componentOf('known')).addressedAs, ['known'])
  await change(`/api/component/${uid}`, 'component', { addressedAs: ['known', 'more'] })
  assert.deepEqual((await componentOf('known')).addressedAs, ['known'])
})

test('deleting a stream frees its series: the next point makes a new, empty stream', async () => {
  await write('gone,host=d1 v=1 1\ngone,host=d1 w=1 1')
  const { uid, stream } = await componentOf('d1')
  assert.equal(
    (await owner('DELETE', `/api/component/${uid}/stream/${stream[0]?.uid}`)).status,
    200,
  )
  await write('gone,host=d1 v=2 2')
  const after = (await componentOf('d1')).stream.find(({ id }) => id === 'gone_v')
  assert.notEqual(after?.uid, stream[0]?.uid)
  assert.deepEqual(await influx.feed.get('d1', 'gone_v'), [[2, 2]])
  assert.equal((await owner('DELETE', `/api/component/${uid}`)).status, 200)
  await write('gone,host=d1 v=3 3')
  assert.deepEqual(await influx.feed.get('d1', 'gone_v'), [[3, 3]])
})

test('DELETE …/series detaches: the stream stays, and the next point makes another', async () => {
  await write('detach,host=t1 v=1 1')
  const { uid, stream } = await componentOf('t1')
  const path = `/api/component/${uid}/stream/${stream[0]?.uid}`
  const { status, body } = await owner('DELETE', `${path}/series`)
  assert.equal(status, 200)
  assert.equal(body.stream.series, undefined)
  assert.deepEqual(body.stream.labels, { __name__: 'detach_v', host: 't1' })
  await change(path, 'stream', { id: 'old' })
  await write('detach,host=t1 v=2 2')
  assert.deepEqual(await influx.feed.get('t1', 'old'), [[1, 1]])
  assert.deepEqual(await influx.feed.get('t1', 'detach_v'), [[2, 2]])
})

test('a stream of the ID without a series is adopted, if its type fits and it is not derived', async () => {
  await influx.feed.putJson([
    { compId: 'ad', streamId: 'm_a', data: 1, time: 1 },
    { compId: 'ad', streamId: 'm_b', data: 'text', time: 1 },
  ])
  const before = await componentOf('ad')
  await change(`/api/component/${before.uid}/stream/${before.stream[0]?.uid}`, 'stream', {
    labels: { own: 'yes' },
  })
  const derived = {
    id: 'm_c',
    derivation: { expression: 'a', variables: [{ name: 'a', streamId: 'm_a' }] },
  }
  const path = `/api/component/${before.uid}/stream`
  assert.equal((await owner('PUT', path, { stream: derived })).status, 200)
  await write('m,host=ad a=2,b=2,c=2 2')
  const streams = (await componentOf('ad')).stream
  const [a, b, c, ...beside] = streams
  assert.deepEqual([a?.uid, a?.labels], [before.stream[0]?.uid, { own: 'yes' }])
  assert.deepEqual(a?.series, { __name__: 'm_a', host: 'ad' })
  assert.deepEqual([b?.series, c?.series], [undefined, undefined])
  assert.match(beside.map(({ id }) => id).join(' '), /^m_b~[0-9a-f]{8} m_c~[0-9a-f]{8}$/)
  assert.deepEqual(await influx.feed.get('ad', 'm_a'), [
    [2, 2],
    [1, 1],
  ])
})

test('a component that is copied takes the labels along, and not the series', async () => {
  await write('copied,host=c1 v=1 1')
  const { uid: _, addressedAs: __, ...record } = await componentOf('c1')
  const stream = record.stream.map(({ uid: _uid, ...one }) => one)
  const copy = await insert('component', { ...record, id: 'c1 copy', stream })
  assert.deepEqual(copy.stream[0].labels, { __name__: 'copied_v', host: 'c1' })
  assert.equal(copy.stream[0].series, undefined)
})

test('the rule of an API key comes before that of the organization, and a blank component asks the next', async () => {
  const key = await keyWithRule({
    component: '{site}{plant|rack}',
    stream: '{sensor}',
    uses: ['__name__'],
    folder: '/Components/by rule',
  })
  await write('r,site=n-,rack=7,sensor=t1,unit=a\\=b v=1 1', key)
  const made = await componentOf('n-7')
  assert.equal(made.folder, '/Components/by rule')
  assert.deepEqual(
    made.stream.map(({ id }) => id),
    ['t1,unit=a\\=b'],
  )
  await write('r,host=plainly v=1 1', key)
  assert.deepEqual(
    (await componentOf('plainly')).stream.map(({ id }) => id),
    ['r_v'],
  )
  const { uid } = (await owner('GET', '/api/organization')).body.organization[0]
  const rule = { component: 'org {host}', stream: '' }
  await change(`/api/organization/${uid}`, 'organization', { addressRule: rule })
  await write('r,host=plainly w=1 1', key)
  assert.deepEqual(
    (await componentOf('org plainly')).stream.map(({ id }) => id),
    ['r_w'],
  )
  await write('r,host=plainly v=2 2', key)
  assert.equal((await influx.feed.get('plainly', 'r_v')).length, 2)
  await change(`/api/organization/${uid}`, 'organization', { addressRule: null })
})

test('a rule names the template of new components and the delete profile of new streams', async () => {
  const profile = await insert('delete_profile', { name: 'p', count: 100, sizeType: 'YEAR' })
  await insert('component_template', {
    id: 'tmpl',
    name: 't',
    stream: [{ id: 'm_temp', valueType: 'LONG', labels: { kind: 'temperature' } }],
  })
  const key = await keyWithRule({
    component: '{host}',
    template: 'tmpl',
    deleteProfile: profile.uid,
    uses: [],
  })
  await write('m,host=templated temp=21i,other=1 1700000000000', key)
  const [temp, other] = (await componentOf('templated')).stream
  assert.deepEqual([temp?.valueType, temp?.labels], ['LONG', { kind: 'temperature' }])
  assert.deepEqual(temp?.series, { __name__: 'm_temp', host: 'templated' })
  assert.deepEqual(other?.delete_profile, { uid: profile.uid })
  const fraction = await influx.write('m,host=templated temp=21.5 1700000000001')
  assert.equal(fraction.status, 400)
})

test('two series to which a rule gives one ID get a hash each', async () => {
  const key = await keyWithRule({ component: '{host}', stream: 'x', uses: ['__name__', 'job'] })
  await write('c,host=tw,job=a v=1 1\nc,host=tw,job=b v=2 1', key)
  await write('c,host=tw,job=c v=3 1', key)
  const ids = (await componentOf('tw')).stream.map(({ id }) => id)
  assert.match(ids.join(' '), /^x x~[0-9a-f]{8} x~[0-9a-f]{8}$/)
})

test('an ID of more than 512 characters is cut and gets the hash of the whole', async () => {
  const long = 'x'.repeat(600)
  await write(`long,host=${long} v=1 1\nlong,host=l,a=${long} v=1 1`)
  const { stream } = await componentOf('l')
  assert.match(stream[0]?.id ?? '', /^long_v,a=x{486}~[0-9a-f]{16}$/)
  const { body } = await owner('GET', '/api/component?search=xxxxxxxxxx&limit=10')
  assert.match(body.component[0].id, /^x{495}~[0-9a-f]{16}$/)
})

test('labels have bounds, and a rule has to name something', async () => {
  const { uid, stream } = await insert('component', { id: 'bounds', stream: [{ id: 's' }] })
  const set = (labels: object) =>
    owner('POST', `/api/component/${uid}/stream/${stream[0].uid}`, { stream: { labels } })
  for (const labels of [
    { ['n'.repeat(201)]: 'x' },
    { a: 'x'.repeat(4_097) },
    { ['😀'.repeat(201)]: 'x' },
    { a: '😀'.repeat(4_097) },
    { 'a\0b': 'x' },
    { '': 'x' },
    { a: 1 },
    Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`l${at}`, 'x'])),
  ]) {
    const { status, body } = await set(labels)
    assert.deepEqual(
      [status, body.field],
      [400, 'stream.labels'],
      JSON.stringify(labels).slice(0, 60),
    )
  }
  const names = {
    ['n'.repeat(200)]: 'x'.repeat(4_096),
    ['😀'.repeat(200)]: '😀'.repeat(4_096),
    __proto__x: 'y',
    ünï: '°',
  }
  const { body } = await set(names)
  assert.deepEqual(body.stream.labels, names)
  for (const addressRule of [
    { component: '' },
    { component: '{' },
    { component: '{}' },
    { component: '{a|}' },
    { component: '{host}', stream: 'x}' },
    { component: '{host}', folder: '/Elsewhere' },
  ]) {
    const { status } = await owner('PUT', '/api/api_key', { api_key: { name: 'k', addressRule } })
    assert.equal(status, 400, JSON.stringify(addressRule))
  }
  const nameless = { api_key: { name: 'k', addressRule: { stream: 'x' } } }
  const refused = await owner('PUT', '/api/api_key', nameless)
  assert.match(refused.body.message, /addressRule must have required propert\S+ '?component/)
  assert.equal(refused.body.field, 'api_key.addressRule.component')
})

test('tags called __proto__ and constructor are labels like any others', async () => {
  await write(
    'odd,host=o1,__proto__=a,constructor=b v=1 1\nodd,host=o1,__proto__=a,constructor=b v=2 2',
  )
  const [stream] = (await componentOf('o1')).stream
  assert.equal(stream?.id, 'odd_v,__proto__=a,constructor=b')
  assert.equal((await influx.feed.get('o1', stream?.id)).length, 2)
})

test('GET /api/door/stream finds the stream of a series, for callers who may read it', async () => {
  await write('sought,host=sought1 v=1 1')
  const component = await componentOf('sought1')
  const [stream] = component.stream
  const path = (series: unknown) =>
    `/api/door/stream?series=${encodeURIComponent(JSON.stringify(series))}`
  const series = { __name__: 'sought_v', host: 'sought1' }
  const { status, body } = await owner('GET', path(series))
  assert.equal(status, 200)
  assert.deepEqual(body.component, { uid: component.uid, id: 'sought1' })
  assert.deepEqual(body.stream, { uid: stream?.uid, id: 'sought_v' })
  assert.equal((await owner('GET', path({ ...series, more: 'x' }))).status, 404)
  for (const wrong of [[], 'x', null, { a: 1 }]) {
    assert.equal((await owner('GET', path(wrong))).status, 400)
  }
  assert.equal((await owner('GET', '/api/door/stream')).status, 400)
  const capabilities = [{ resource: 'component/other/feed', methods: ['GET'] }]
  const { secretKey } = await insert('api_key', { name: 'other', capabilities })
  assert.equal((await caller(service, `api_key=${secretKey}`)('GET', path(series))).status, 403)
})
