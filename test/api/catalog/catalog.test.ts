import assert from 'node:assert/strict'
import { test } from 'node:test'
import { caller, signIn } from '../../support/caller.ts'
import { ownerOfFile, serviceOfFile } from '../../support/service-of-file.ts'

const service = serviceOfFile()
const owner = ownerOfFile(service)

/** Inserts a record and answers it. */
async function insert(noun: string, record: object) {
  const answer = await owner('PUT', `/api/${noun}`, { [noun]: record })
  assert.equal(answer.status, 200, answer.text)
  return answer.body[noun]
}

const samples: Record<string, { record: object; change: object }> = {
  component: { record: { name: 'A' }, change: { name: 'B' } },
  component_template: { record: { name: 'A', stream: [{ id: 's' }] }, change: { name: 'B' } },
  component_folder: {
    record: { path: '/Components/folder A' },
    change: { path: '/Components/folder B' },
  },
  cycle: { record: { name: 'A', sizeType: 'HOUR', count: 2 }, change: { count: 3 } },
  unit: { record: { name: 'A', symbol: '$' }, change: { symbolLocation: 'BEFORE' } },
  delete_profile: { record: { name: 'A', count: 2 }, change: { sizeType: 'DAY' } },
  dashboard: { record: { name: 'A', range: 'today' }, change: { name: 'B' } },
}

for (const [noun, { record, change }] of Object.entries(samples)) {
  test(`${noun}: new, insert, get, update, list and delete answer the envelope`, async () => {
    const fresh = await owner('GET', `/api/${noun}/new`)
    assert.equal(fresh.status, 200, fresh.text)
    assert.deepEqual(Object.keys(fresh.body), ['message', noun, 'totalCount', 'success'])
    assert.equal(fresh.body[noun].uid, '')
    const count = async () => (await owner('GET', `/api/${noun}?limit=1`)).body.totalCount
    const before = await count()
    const inserted = await insert(noun, record)
    for (const [field, value] of Object.entries(record)) {
      if (field !== 'stream') assert.deepEqual(inserted[field], value)
    }
    assert.match(inserted.uid, /^[0-9a-f-]{36}$/)
    const path = `/api/${noun}/${inserted.uid}`
    const got = await owner('GET', path)
    assert.deepEqual(got.body, { message: '', [noun]: inserted, totalCount: 1, success: true })
    const changed = await owner('POST', path, { [noun]: change })
    assert.equal(changed.status, 200, changed.text)
    const expected = { ...inserted, ...change, revision: 2 }
    if (noun === 'component_folder') expected.name = 'folder B'
    assert.deepEqual(changed.body[noun], expected)
    const list = await owner('GET', `/api/${noun}?start=0&limit=1000`)
    assert.equal(list.body.totalCount, before + 1)
    assert.equal(list.body.success, true)
    const listed = list.body[noun].find(({ uid }: { uid: string }) => uid === inserted.uid)
    const left = { component: 'stream', dashboard: 'panels' }[noun] ?? ''
    const { [left]: _, ...plain } = expected
    assert.deepEqual(listed, plain)
    assert.equal((await owner('DELETE', path)).status, 200)
    assert.equal((await owner('GET', path)).status, 404)
    assert.equal((await owner('DELETE', path)).status, 404)
    assert.equal(await count(), before)
  })

  test(`${noun}: bad bodies and rights are refused and change nothing`, async () => {
    const count = async () => (await owner('GET', `/api/${noun}?limit=1`)).body.totalCount
    const before = await count()
    const path = `/api/${noun}`
    const refused = async (body: object, status: number, message: RegExp) => {
      const answer = await owner('PUT', path, body)
      assert.equal(answer.status, status, answer.text)
      assert.equal(answer.body.success, false)
      assert.match(answer.body.message, message)
    }
    await refused({}, 400, new RegExp(`{"${noun}":{…}}`))
    await refused([], 400, new RegExp(`{"${noun}":{…}}`))
    await refused(record, 400, new RegExp(`{"${noun}":{…}}`))
    await refused({ [noun]: [] }, 400, new RegExp(`^${noun} must be an object`))
    await refused({ [noun]: 'x' }, 400, new RegExp(`^${noun} must be an object`))
    const field = noun === 'component_folder' ? 'path' : 'id'
    await refused({ [noun]: { [field]: 5 } }, 400, new RegExp(`^${noun}.${field} must be a string`))
    const key = caller(service, `api_key=${service.feedKey}`)
    for (const [method, at] of [
      ['GET', path],
      ['GET', `${path}/new`],
      ['PUT', path],
      ['POST', `${path}/some-uid`],
      ['DELETE', `${path}/some-uid`],
    ]) {
      const body = method === 'PUT' || method === 'POST' ? { [noun]: record } : undefined
      assert.equal((await key(method, at, body)).status, 403, `${method} ${at}`)
      assert.equal((await caller(service, '')(method, at, body)).status, 401, `${method} ${at}`)
    }
    const unknown = await owner('POST', `${path}/unknown`, { [noun]: {} })
    assert.equal(unknown.status, 404)
    assert.match(unknown.body.message, /"unknown": it is looked for by its UID, not by its ID$/)
    assert.equal((await owner('PATCH', `${path}/unknown`)).status, 405)
    for (const query of ['start=-1', 'limit=0', 'limit=x', 'start=1&start=2']) {
      assert.equal((await owner('GET', `${path}?${query}`)).status, 400, query)
    }
    assert.equal(await count(), before)
  })
}

test('IDs of any script and 512 characters are kept; 513 characters and twice the same are not', async () => {
  const ids = ['a/b', 'a%2Fb', 'a,b', 'a%2Cb', ' a b ', '😀', '[0]:x', 'x'.repeat(512)]
  for (const id of ids) {
    const { uid } = await insert('component', { id, stream: [{ id }] })
    const got = await owner('GET', `/api/component/${uid}`)
    assert.equal(got.body.component.id, id)
    assert.equal(got.body.component.stream[0].id, id)
    const again = await owner('PUT', '/api/component', { component: { id } })
    assert.equal(again.status, 409)
    assert.equal(again.body.code, 'claim_taken')
    const property = await owner('GET', `/api/comp/${encodeURIComponent(id)}/property?name`)
    assert.deepEqual(property.body, [{ message: '', component: { name: id }, success: true }], id)
  }
  const long = await owner('PUT', '/api/component', { component: { id: 'x'.repeat(513) } })
  assert.equal(long.status, 400)
  assert.match(long.body.message, /component.id has 513 characters: at most 512/)
  const blank = await insert('component', { id: '' })
  assert.notEqual((await insert('component', { id: '' })).uid, blank.uid)
})

test('a folder not under /Components is a 400, one under it is made', async () => {
  for (const folder of ['/Other', 'Components', '/components/x', '/ComponentsX', '']) {
    const answer = await owner('PUT', '/api/component', { component: { folder } })
    assert.equal(answer.status, 400, folder)
    assert.match(answer.body.message, /component.folder .*must start with \/Components/)
  }
  await insert('component', { id: 'in-folder', folder: '/Components/made/here' })
  const { body } = await owner('GET', '/api/component?folder=/Components/made')
  assert.deepEqual([body.totalCount, body.component[0].id], [1, 'in-folder'])
  const folders = (await owner('GET', '/api/component_folder')).body.component_folder
  const paths = folders.map(({ path }: { path: string }) => path)
  assert.ok(paths.includes('/Components/made') && paths.includes('/Components/made/here'))
  assert.equal((await owner('GET', '/api/component?folder=/Else')).status, 400)
})

test('deep, huge and broken JSON is refused with its status', async () => {
  const cookie = await signIn(service, service.ownerEmail, service.ownerPassword)
  const put = async (body: string) => {
    const headers = { Cookie: cookie, 'Content-Type': 'application/json' }
    const answer = await fetch(`${service.url}/api/component`, { method: 'PUT', headers, body })
    const { message, success } = (await answer.json()) as { message: string; success: boolean }
    assert.equal(success, false)
    return `${answer.status} ${message}`
  }
  const nested = '['.repeat(5_000) + ']'.repeat(5_000)
  assert.match(await put(`{"component":{"name":${nested}}}`), /^400 .*64 levels/)
  assert.match(await put(`{"component":{"name":"${'x'.repeat(1_100_000)}"}}`), /^413 /)
  assert.match(await put('{"component":{"name":'), /^400 .*JSON/)
  assert.match(await put(`{"component":{"description":"${'x'.repeat(10_001)}"}}`), /^400 .*10001/)
  const many = JSON.stringify(Array.from({ length: 10_001 }, () => ({})))
  assert.match(await put(`{"component":{"stream":${many}}}`), /^400 component.stream/)
  assert.match(await put('{"component":{"__proto__":{"id":5},"name":"n","id":7}}'), /^400 .*id/)
})

test('a component edit keeps its samples: rename, new stream, reorder, zone', async () => {
  const feed = caller(service, `api_key=${service.feedKey}`)
  await feed('PUT', '/api/feed?compId=edit&a=1&b=2')
  const { component: list } = (await owner('GET', '/api/component?limit=1000')).body
  const { uid } = list.find(({ id }: { id: string }) => id === 'edit')
  const { component } = (await owner('GET', `/api/component/${uid}`)).body
  const [a, b] = component.stream
  const edited = await owner('POST', `/api/component/${uid}`, {
    component: {
      id: 'edited',
      name: 'New',
      timeZoneId: 'Asia/Tokyo',
      revision: component.revision,
      stream: [{ uid: b.uid, id: 'b2' }, { id: 'c' }, { uid: a.uid }],
    },
  })
  assert.equal(edited.status, 200, edited.text)
  const values = await feed('GET', '/api/comp/edited/last_value?retStreamId')
  assert.deepEqual(
    values.body.map(({ streamId, data }: { streamId: string; data: number }) => [streamId, data]),
    [
      ['b2', 2],
      ['a', 1],
    ],
  )
  assert.equal((await feed('GET', '/api/comp/edit/last_value')).status, 404)
  const stale = { component: { name: 'x', revision: component.revision } }
  const conflict = await owner('POST', `/api/component/${uid}`, stale)
  assert.deepEqual([conflict.status, conflict.body.code], [409, 'conflict'])
  assert.equal((await owner('DELETE', `/api/component/${uid}`)).status, 200)
  assert.equal((await feed('GET', '/api/comp/edited/last_value')).status, 404)
  await feed('PUT', '/api/feed?compId=edited&a=7')
  const again = await feed('GET', '/api/comp/edited/feed')
  assert.deepEqual(
    again.body.map(({ data }: { data: number }) => data),
    [7],
  )
})

test('component/{uid}/stream: new, insert, list in order, update, delete', async () => {
  const { uid } = await insert('component', { timeZoneId: 'Asia/Tokyo' })
  const path = `/api/component/${uid}/stream`
  const fresh = await owner('GET', `${path}/new?type=intvl_stream`)
  assert.equal(fresh.body.stream.streamType, 'intvl_stream')
  assert.equal((await owner('GET', `${path}/new`)).body.stream.streamType, 'rdm_stream')
  const wrong = await owner('GET', `${path}/new?type=wild`)
  assert.match(wrong.body.message, /type must be one of rdm_stream, intvl_stream, point_stream/)
  const put = (stream: object) => owner('PUT', path, { stream })
  const hourly = await put({ id: 'h', streamType: 'intvl_stream', baseCycle: { id: 'hour' } })
  assert.equal(hourly.status, 200, hourly.text)
  assert.equal(hourly.body.stream.timeZoneId, 'Asia/Tokyo')
  await put({ id: 'a', valueType: 'STRING' })
  assert.equal((await put({ id: 'a' })).status, 409)
  assert.match(
    (await put({ streamType: 'intvl_stream' })).body.message,
    /stream.baseCycle is missing/,
  )
  const file = await put({ streamType: 'point_stream', valueType: 'FILE' })
  assert.match(file.body.message, /a point stream cannot store files/)
  const list = await owner('GET', `${path}?start=0&limit=10`)
  assert.equal(list.body.totalCount, 2)
  assert.deepEqual(
    list.body.stream.map(({ id }: { id: string }) => id),
    ['h', 'a'],
  )
  const one = `${path}/${list.body.stream[1].uid}`
  const changed = await owner('POST', one, { stream: { name: 'Named', rollupMethod: 'last' } })
  assert.equal(changed.body.stream.name, 'Named')
  assert.deepEqual((await owner('GET', one)).body.stream, changed.body.stream)
  const typed = await owner('POST', one, { stream: { valueType: 'DOUBLE' } })
  assert.match(typed.body.message, /stream.valueType cannot change from STRING to DOUBLE/)
  const elsewhere = await insert('component', {})
  const strange = `/api/component/${elsewhere.uid}/stream/${list.body.stream[1].uid}`
  for (const method of ['GET', 'DELETE']) {
    assert.equal((await owner(method, strange)).status, 404, method)
  }
  assert.equal((await owner('DELETE', one)).status, 200)
  assert.equal((await owner('GET', one)).status, 404)
  assert.equal((await owner('GET', path)).body.totalCount, 1)
})

test('a key limited to one component reaches that one only', async () => {
  const mine = await insert('component', { id: 'mine' })
  const other = await insert('component', { id: 'other' })
  const capabilities = [{ resource: `component/${mine.uid}`, methods: ['GET', 'POST'] }]
  const made = await owner('PUT', '/api/api_key', { api_key: { name: 'k', capabilities } })
  const key = caller(service, `api_key=${made.body.api_key.secretKey}`)
  assert.equal((await key('GET', `/api/component/${mine.uid}`)).status, 200)
  const change = { component: { description: 'set by key' } }
  assert.equal((await key('POST', `/api/component/${mine.uid}`, change)).status, 200)
  assert.equal((await key('DELETE', `/api/component/${mine.uid}`)).status, 403)
  assert.equal((await key('GET', `/api/component/${other.uid}`)).status, 403)
  assert.equal((await key('GET', '/api/component')).status, 403)
  assert.equal((await key('PUT', '/api/component', change)).status, 403)
})

test('records of another organization are as if they were not there', async () => {
  const second = await owner('PUT', '/api/organization', {
    organization: { name: 'Second' },
  })
  assert.equal(second.status, 200, second.text)
  const orgUid = second.body.organization.uid
  const mine = await insert('component', { id: 'secret', stream: [{ id: 's' }] })
  const unit = await insert('unit', { id: 'secret' })
  const there = (method: string, path: string, body?: object) =>
    owner(method, `${path}${path.includes('?') ? '&' : '?'}org=${orgUid}`, body)
  assert.equal((await there('GET', '/api/component')).body.totalCount, 0)
  const paths = [
    `/api/component/${mine.uid}`,
    `/api/component/${mine.uid}/stream`,
    `/api/component/${mine.uid}/stream/${mine.stream[0].uid}`,
    `/api/unit/${unit.uid}`,
    '/api/comp/secret/property?name',
  ]
  for (const path of paths) {
    const answer = await there('GET', path)
    assert.equal(answer.status, 404, path)
    const never = await there(
      'GET',
      path.replaceAll(mine.uid, '11111111-1111-4111-8111-111111111111'),
    )
    assert.equal(never.status, 404, path)
  }
  const refers = { component: { stream: [{ unit: { uid: unit.uid } }] } }
  assert.equal((await there('PUT', '/api/component', refers)).status, 400)
  assert.equal((await there('DELETE', `/api/component/${mine.uid}`)).status, 404)
  assert.equal((await owner('GET', `/api/component/${mine.uid}`)).status, 200)
})

test('everything is there again after a restart', async () => {
  const made = await insert('component', { id: 'lasting', stream: [{ id: 's' }] })
  await service.restart()
  const got = await owner('GET', `/api/component/${made.uid}`)
  assert.deepEqual(got.body.component, made)
})
