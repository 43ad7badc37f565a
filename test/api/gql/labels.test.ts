import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { caller } from '../../support/caller.ts'
import { ownerOfFile, serviceOfFile } from '../../support/service-of-file.ts'

const service = serviceOfFile()
const owner = ownerOfFile(service)

before(async () => {
  for (const [id, labels] of Object.entries({
    a: { site: 'north', Site: 'other', room: 'hall' },
    b: { site: 'south' },
    c: { constructor: 'x' },
  })) {
    const stream = [{ id: `${id}1`, valueType: 'DOUBLE', labels }, { id: `${id}2` }]
    const component = { id, name: id, stream }
    const { status, text } = await owner('PUT', '/api/component', { component })
    assert.equal(status, 200, text)
    const data = [{ compId: id, streamId: `${id}1`, time: 1_767_225_600_000, data: 7 }]
    assert.equal((await owner('PUT', '/api/feed', data)).status, 200)
  }
})

async function rows(gql: string, call = owner): Promise<unknown> {
  const { status, body, text } = await call('POST', '/api/gql', { sql: gql })
  assert.equal(status, 200, text)
  return body
}

test('label() reads, selects, and groups by a label of a stream', async () => {
  const list = "SELECT id, label('site') AS site FROM STREAM ORDER BY id"
  const shown = JSON.stringify(await rows(list))
  assert.match(shown, /\["a1","north"\],\["a2",null\],\["b1","south"\]/)
  assert.match(shown, /\["c1",null\]/)
  const found = JSON.stringify(await rows("SELECT id FROM STREAM WHERE label('site') = 'north'"))
  assert.match(found, /a1/)
  assert.doesNotMatch(found, /a2|b1|c1/)
  const grouped = await rows(
    "SELECT label('room') AS r, count(*) FROM STREAM GROUP BY label('room') ORDER BY 2",
  )
  assert.match(JSON.stringify(grouped), /\["hall",1\],\[null,5\]/)
  const ofSamples = await rows(
    "SELECT label('site'), sum(sample) FROM STREAM WHERE label('site') IN ('north', 'south') GROUP BY 1",
  )
  assert.match(JSON.stringify(ofSamples), /"north",7/)
})

test('label() tells names in capitals apart, and finds no property of objects', async () => {
  const of = (name: string) => rows(`SELECT label('${name}') FROM STREAM WHERE id = 'a1'`)
  assert.match(JSON.stringify(await of('Site')), /other/)
  assert.match(JSON.stringify(await of('SITE')), /null/)
  assert.match(JSON.stringify(await of('toString')), /null/)
})

test('label() needs the text of a name, and one table STREAM', async () => {
  for (const [gql, message] of [
    ['SELECT label(id) FROM STREAM', /takes the name of a label/],
    ["SELECT label('a', 'b') FROM STREAM", /takes the name of a label/],
    ["SELECT label('site') FROM SAMPLE", /exactly one table STREAM/],
    ["SELECT label('site') FROM STREAM a JOIN STREAM b USING (cid)", /exactly one table STREAM/],
  ] as const) {
    const { status, text } = await owner('POST', '/api/gql', { sql: gql })
    assert.equal(status, 400, text)
    assert.match(text, message)
  }
})

test('label() shows nothing to a caller who may read samples and not the records of streams', async () => {
  const made = await owner('PUT', '/api/api_key', {
    api_key: {
      name: 'reader',
      capabilities: [
        { resource: 'component/*/feed', methods: ['GET'] },
        { resource: 'component/*/stream/*/feed', methods: ['GET'] },
        { resource: 'query', methods: ['POST'] },
      ],
    },
    currentPassword: service.ownerPassword,
  })
  assert.equal(made.status, 200, made.text)
  const reader = caller(service, '', { 'X-Api-Key': made.body.api_key.secretKey })
  assert.match(JSON.stringify(await rows('SELECT id FROM STREAM', reader)), /a1/)
  const shown = JSON.stringify(await rows("SELECT id, label('site') FROM STREAM", reader))
  assert.doesNotMatch(shown, /north/)
})
