import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { ManualClock } from '../../../src/base/index.ts'
import { caller } from '../../support/caller.ts'
import { startService } from '../../support/service.ts'
import { deviceOfFile, ownerOfFile, serviceOfFile } from '../../support/service-of-file.ts'

const service = serviceOfFile()
const key = deviceOfFile(service)
const owner = ownerOfFile(service)

before(async () => {
  const component = { id: 'boiler', name: 'Boiler', stream: [{ id: 's' }] }
  await owner('PUT', '/api/component', { component })
})

const PATH = '/api/comp/boiler/property'

test('property GET answers what its flags ask for, as the contract writes it', async () => {
  const check = async (query: string, text: string) => {
    const answer = await key('GET', `${PATH}${query}`)
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
    assert.equal(answer.text, text, query)
  }
  const answerWith = (component: string) =>
    `[{"message":"","component":${component},"success":true}]`
  await check('', answerWith('{}'))
  await check('?name', answerWith('{"name":"Boiler"}'))
  await check('?description', answerWith('{"description":""}'))
  await check('?name=true&description=1', answerWith('{"name":"Boiler","description":""}'))
  await check('?name=false&description=0', answerWith('{}'))
  await check('?&name=&_=1700', answerWith('{"name":"Boiler"}'))
})

test('property POST sets name, description or both, and nothing else', async () => {
  const set = async (component: object) => {
    const answer = await key('POST', PATH, [{ component }])
    assert.deepEqual([answer.status, answer.text], [200, '[{"success":true,"message":""}]'])
    return (await key('GET', `${PATH}?name&description`)).body[0].component
  }
  assert.deepEqual(await set({ name: 'Kettle' }), { name: 'Kettle', description: '' })
  const described = { name: 'Kettle', description: 'hot, ünïcode 😀' }
  assert.deepEqual(await set({ description: described.description }), described)
  assert.deepEqual(await set({ name: 'Boiler', description: '' }), {
    name: 'Boiler',
    description: '',
  })
  await set({ name: 'Boiler', id: 'hacked', folder: '/Components/x', timeZoneId: 'Mars' })
  const { body } = await owner('GET', '/api/component')
  assert.deepEqual([body.component[0].id, body.component[0].folder], ['boiler', '/Components'])
})

test('property POST refuses bodies of another form and changes nothing', async () => {
  const before = (await key('GET', `${PATH}?name&description`)).text
  const refused = async (body: object, message: RegExp) => {
    const answer = await key('POST', PATH, body)
    assert.equal(answer.status, 400, answer.text)
    assert.match(answer.body.message, message)
    assert.equal(answer.body.field, /^component\.\w+/.exec(answer.body.message)?.[0], answer.text)
  }
  await refused({ component: { name: 'x' } }, /JSON array of 1 entry, of the form/)
  await refused([], /JSON array of 1 entry, of the form/)
  await refused([{ component: { name: 'x' } }, {}], /JSON array of 1 entry, of the form/)
  await refused([{ name: 'x' }], /JSON array of 1 entry, of the form/)
  await refused([{ component: {} }], /name or a description/)
  await refused([{ component: { name: 5 } }], /component.name must be a string/)
  await refused([{ component: { name: 'x', description: null } }], /component.description must be/)
  await refused([{ component: { name: 'x'.repeat(513) } }], /component.name has 513 characters/)
  const empty = await fetch(`${service.url}${PATH}?api_key=${service.feedKey}`, { method: 'POST' })
  assert.equal(empty.status, 400)
  assert.equal((await key('GET', `${PATH}?name&description`)).text, before)
})

test('property calls refuse unknown and blank components, and missing rights', async () => {
  const unknown = await key('GET', '/api/comp/nothing/property?name')
  assert.deepEqual([unknown.status, unknown.body.code], [404, 'component_not_found'])
  const body = [{ component: { name: 'x' } }]
  assert.equal((await key('POST', '/api/comp/nothing/property', body)).status, 404)
  assert.equal((await key('GET', '/api/comp/%20/property')).status, 400)
  assert.equal((await key('GET', '/api/comp//property')).status, 400)
  assert.equal((await key('GET', `/api/comp/${'x'.repeat(513)}/property`)).status, 400)
  assert.equal((await key('PUT', PATH, body)).status, 405)
  assert.equal((await caller(service, '')('GET', PATH)).status, 401)
  const capabilities = [{ resource: 'component/*/property', methods: ['GET'] }]
  const made = await owner('PUT', '/api/api_key', { api_key: { name: 'reader', capabilities } })
  const reader = caller(service, `api_key=${made.body.api_key.secretKey}`)
  assert.equal((await reader('GET', `${PATH}?name`)).status, 200)
  assert.equal((await reader('POST', PATH, body)).status, 403)
})

test('property and admin calls share a limit of 350 a minute, shown in headers', async () => {
  const clock = new ManualClock(1_700_000_000_000)
  const limited = await startService({ clock, settings: { WEIR_RATE_LIMITS: 'default' } })
  try {
    const call = caller(limited, `api_key=${limited.feedKey}`)
    const first = await call('GET', '/api/comp/none/property')
    assert.equal(first.headers.get('ratelimit-limit'), '350')
    for (let count = 1; count < 350; count++) await call('GET', '/api/comp/none/property')
    const over = await call('GET', '/api/comp/none/property')
    assert.deepEqual([over.status, over.body.code], [429, 'rate_limited'])
    assert.ok(Number(over.headers.get('retry-after')) >= 1)
    assert.equal((await call('GET', '/api/unit')).status, 429)
    clock.advance(60_000)
    assert.equal((await call('GET', '/api/comp/none/property')).status, 404)
  } finally {
    await limited.close()
  }
})

test('property POST refuses a body that is no UTF-8: its text could not be kept', async () => {
  const before = (await key('GET', `${PATH}?name`)).text
  const answer = await fetch(`${service.url}${PATH}?api_key=${service.feedKey}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: Buffer.from('[{"component":{"name":"caf\xe9"}}]', 'latin1'),
  })
  assert.equal(answer.status, 400)
  assert.match(await answer.text(), /must be UTF-8/)
  assert.equal((await key('GET', `${PATH}?name`)).text, before)
})
