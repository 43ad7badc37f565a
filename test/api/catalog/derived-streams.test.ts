import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { CatalogGraph, isProblem } from '../../../src/derivation/index.ts'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { deviceOfFile, serviceOfFile } from '../../support/service-of-file.ts'

const ALL = ['GET', 'PUT', 'POST', 'DELETE']
const service = serviceOfFile()
let owner: Call
const device = deviceOfFile(service)
before(async () => {
  const cookie = await signIn(service, service.ownerEmail, service.ownerPassword)
  owner = caller(service, cookie, { 'Weir-Password': service.ownerPassword })
})

type Shown = { readonly uid: string; readonly id: string }

async function insert(noun: string, fields: object) {
  const made = await owner('PUT', `/api/${noun}`, { [noun]: fields })
  assert.equal(made.status, 200, made.text)
  return made.body[noun]
}

async function streamsOf(compId: string) {
  const { body } = await owner('GET', `/api/component?id=${compId}`)
  const found = await owner('GET', `/api/component/${body.component[0].uid}`)
  return Object.fromEntries(found.body.component.stream.map((one: Shown) => [one.id, one]))
}

const mean = {
  id: 'mean',
  derivation: {
    expression: '(flow + back) / 2',
    variables: [
      { name: 'flow', streamId: 'flow' },
      { name: 'back', streamId: 'back', offset: -1 },
    ],
  },
}

test('a derived stream is saved, listed and changed, and takes no samples', async () => {
  const { uid, stream } = await insert('component', {
    id: 'heater',
    stream: [{ id: 'flow', valueType: 'DOUBLE' }, { id: 'back' }, mean],
  })
  const path = `/api/component/${uid}/stream`
  const listed = await owner('GET', path)
  const shown = listed.body.stream.find(({ id }: Shown) => id === 'mean')
  assert.equal(shown.streamDerivationType, 'FROM_EXPRESSION')
  assert.deepEqual(
    shown.derivation.variables.map(({ streamUid }: { streamUid: string }) => streamUid),
    [stream[0].uid, stream[1].uid],
  )
  assert.equal('derivation' in listed.body.stream[0], false)
  const change = { derivation: { ...shown.derivation, trigger: 'ANY' } }
  const changed = await owner('POST', `${path}/${shown.uid}`, { stream: change })
  assert.equal(changed.body.stream.derivation.trigger, 'ANY')
  const bad = { derivation: { ...shown.derivation, expression: 'flow +' } }
  const refused = await owner('POST', `${path}/${shown.uid}`, { stream: bad })
  assert.equal(refused.status, 400)
  assert.match(refused.body.message, /^stream\.derivation\.expression has an error in line 1/)
  const kept = await owner('GET', `${path}/${shown.uid}`)
  assert.deepEqual(kept.body.stream, changed.body.stream)
  const put = await device('PUT', '/api/feed?compId=heater&flow=1&mean=2')
  assert.equal(put.status, 400)
  assert.match(put.body.message, /derived/)
  const flow = await device('GET', '/api/comp/heater/stream/flow/feed')
  assert.deepEqual(flow.body, [])
})

test('every component made from a template has its derived streams, reading its own', async () => {
  const stream = [{ id: 'flow', valueType: 'DOUBLE' }, { id: 'back', valueType: 'DOUBLE' }, mean]
  const made = await insert('component_template', { id: 'heaters', stream })
  assert.equal(made.stream[2].valueType, 'DOUBLE')
  const sent = await owner('POST', `/api/component_template/${made.uid}`, {
    component_template: { ...made, name: 'Heaters' },
  })
  assert.equal(sent.status, 200, sent.text)
  assert.deepEqual(sent.body.component_template.stream, made.stream)
  const put = await device('PUT', '/api/feed?compTmplId=heaters', [
    { compId: 'h1', streamId: 'flow', data: 1 },
    { compId: 'h2', streamId: 'flow', data: 2 },
  ] as object)
  assert.equal(put.status, 200, put.text)
  const put3 = await device('PUT', '/api/feed?compId=h3&compTmplId=heaters&flow=1&extra=2')
  assert.equal(put3.status, 200, put3.text)
  const { catalog } = service.app
  const graph = new CatalogGraph(catalog)
  for (const compId of ['h1', 'h2', 'h3']) {
    const own = await streamsOf(compId)
    const { variables } = own.mean.derivation
    assert.deepEqual(
      variables.map((one: { streamUid: string; componentUid: string; streamId: string }) => [
        one.componentUid,
        one.streamUid,
        one.streamId,
      ]),
      [
        ['', own.flow.uid, 'flow'],
        ['', own.back.uid, 'back'],
      ],
    )
    const handle = catalog.index.streamByUid(service.orgUid, own.mean.uid)
    assert.ok(handle !== 0)
    assert.equal(isProblem(await graph.planOf(handle)), false)
    const source = catalog.index.streamByUid(service.orgUid, own.flow.uid)
    assert.ok(source !== 0)
    assert.deepEqual(graph.dependentsOf(source), [handle])
  }
  const derived = await device('PUT', '/api/feed?compId=h1&dtId=heaters&dsId=mean&other=1')
  assert.equal(derived.status, 400)
  assert.match(derived.body.message, /\(dsId\) is derived/)
  assert.equal((await streamsOf('h1')).other, undefined)
  // What exists is put to as before: the rules of what is missing are not looked at.
  assert.equal(
    (await device('PUT', '/api/feed?compId=h1&dtId=heaters&dsId=mean&flow=1')).status,
    200,
  )
})

test('a template whose formulas cannot be is refused', async () => {
  const check = async (stream: object[], expected: RegExp) => {
    const { status, body } = await owner('PUT', '/api/component_template', {
      component_template: { stream },
    })
    assert.equal(status, 400)
    assert.match(body.message, expected)
  }
  const one = (variable: object) => [
    { id: 'a', valueType: 'DOUBLE' },
    { id: 'd', derivation: { expression: 'x', variables: [{ name: 'x', ...variable }] } },
  ]
  const place = /^component_template\.stream\[1\]\.derivation\.variables\[0\]\./
  await check(one({ streamId: 'nope' }), /streamId "nope" is not a stream of this template/)
  await check(one({ streamId: 'a', componentId: 'heater' }), /componentId must be blank/)
  await check(one({ streamUid: service.orgUid }), place)
  await check(one({ streamId: 'd' }), /make a loop.*"d" → "d"/)
  await check(
    [
      { id: 'a', valueType: 'STRING' },
      { id: 'd', derivation: { ...one({ streamId: 'a' })[1].derivation, expression: 'x * 2' } },
    ],
    /stream\[1\]\.derivation\.expression has an error in line 1, column 1/,
  )
})

test('a stream that a formula of a template reads is not taken out of the template', async () => {
  const stream = [{ id: 'flow', valueType: 'DOUBLE' }, { id: 'back', valueType: 'DOUBLE' }, mean]
  const made = await insert('component_template', { id: 'kept', stream })
  const path = `/api/component_template/${made.uid}`
  const update = (streams: object[]) =>
    owner('POST', path, { component_template: { stream: streams } })
  const [flow, , derived] = made.stream.map(({ uid }: Shown) => ({ uid }))
  const refused = await update([flow, derived])
  assert.equal(refused.status, 400)
  const place = /^component_template\.stream\[1\]\.derivation\.variables\[1\]\.streamId refers to/
  assert.match(refused.body.message, place)
  assert.deepEqual((await owner('GET', path)).body.component_template, made)
  const changed = await update([flow])
  assert.equal(changed.status, 200, changed.text)
})

test('formulas read only what their author may', async () => {
  const secret = await insert('component', { id: 'secret', stream: [{ id: 's' }] })
  const open = await insert('component', { id: 'open', stream: [{ id: 'o' }] })
  const without = [{ resource: `component/${secret.uid}`, methods: [] }]
  const capabilities = [{ resource: '*', methods: ALL }, ...without]
  const key = await owner('PUT', '/api/api_key', { api_key: { name: 'k', capabilities } })
  const call = caller(service, `api_key=${key.body.api_key.secretKey}`)
  const path = `/api/component/${open.uid}/stream`
  const reading = (variable: object) => ({
    stream: { id: 'd', derivation: { expression: 'x', variables: [{ name: 'x', ...variable }] } },
  })
  const refused = await call('PUT', path, reading({ componentId: 'secret', streamId: 's' }))
  assert.equal(refused.status, 400, refused.text)
  assert.match(refused.body.message, /componentId "secret" is not a component/)
  const made = await owner('PUT', path, reading({ componentId: 'secret', streamId: 's' }))
  assert.equal(made.status, 200, made.text)
  const one = `${path}/${made.body.stream.uid}`
  const shown = await call('GET', one)
  assert.deepEqual(
    [
      shown.body.stream.derivation.variables[0].componentId,
      shown.body.stream.derivation.variables[0].streamId,
    ],
    ['', ''],
  )
  // It may change what does not concern the source.
  const { derivation } = shown.body.stream
  const named = await call('POST', one, { stream: { name: 'D', derivation } })
  assert.equal(named.status, 200, named.text)
  const other = { stream: { derivation: { ...derivation, expression: 'x + 1' } } }
  assert.equal((await call('POST', one, other)).status, 403)
  const unseen = {
    stream: {
      id: 'o',
      derivation: {
        expression: 'x',
        variables: [{ name: 'x', componentUid: open.uid, streamId: 'd' }],
      },
    },
  }
  const looped = await call('POST', `${path}/${open.stream[0].uid}`, unseen)
  assert.equal(looped.status, 200, looped.text)
})

test('what an author may not see is refused as what is not there, word for word', async () => {
  const stream = [{ id: 'gauge', valueType: 'DOUBLE' }]
  const [hidden, own] = [
    await insert('component', { id: 'hidden', stream }),
    await insert('component', {
      id: 'own',
      stream: [...stream, { id: 'dark', valueType: 'DOUBLE' }],
    }),
  ]
  const dark = own.stream[1].uid
  const callers = [
    // All but one component and one stream; and one component alone.
    [
      { resource: '*', methods: ALL },
      { resource: `component/${hidden.uid}`, methods: [] },
      { resource: `component/${own.uid}/stream/${dark}`, methods: [] },
    ],
    [
      { resource: `component/${own.uid}`, methods: ALL },
      { resource: `component/${own.uid}/stream/${dark}`, methods: [] },
    ],
  ]
  const [nobody, nothing] = ['0e2b7f52-0000-4000-8000-000000000000', 'nothing']
  for (const capabilities of callers) {
    const key = await owner('PUT', '/api/api_key', { api_key: { name: 'k', capabilities } })
    const call = caller(service, `api_key=${key.body.api_key.secretKey}`)
    /** The answer, with what the caller wrote itself taken out. */
    const answer = async (variable: Readonly<Record<string, string>>) => {
      const variables = [{ name: 'x', ...variable }]
      const { status, body } = await call('PUT', `/api/component/${own.uid}/stream`, {
        stream: { derivation: { expression: 'x', variables } },
      })
      let text = `${status} ${body.message}`
      for (const given of Object.values(variable)) text = text.replaceAll(given, '…')
      return text
    }
    const same = async (...variables: Readonly<Record<string, string>>[]) => {
      const answers = new Set<string>()
      for (const variable of variables) answers.add(await answer(variable))
      assert.equal(answers.size, 1, [...answers].join('\n'))
      assert.match([...answers][0], /^40[03] /)
    }
    await same(
      { componentId: 'hidden', streamId: 'gauge' },
      { componentId: 'hidden', streamId: nothing },
      { componentId: nothing, streamId: 'gauge' },
    )
    await same(
      { componentUid: hidden.uid, streamUid: hidden.stream[0].uid },
      { componentUid: hidden.uid, streamUid: nobody },
      { componentUid: nobody, streamUid: hidden.stream[0].uid },
    )
    await same({ streamId: 'dark' }, { streamId: nothing })
    await same({ streamUid: dark }, { streamUid: nobody }, { streamUid: hidden.stream[0].uid })
    await same({ streamUid: dark, streamId: nothing }, { streamUid: nobody, streamId: nothing })
  }
})
