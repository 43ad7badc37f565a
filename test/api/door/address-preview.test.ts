import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InfluxClient } from '../../support/influx-client.ts'
import { ownerOfFile, serviceOfFile } from '../../support/service-of-file.ts'

const service = serviceOfFile()
const owner = ownerOfFile(service)

const RULE = { component: '{site|place}-{host}', stream: '{__name__}', uses: ['job'] }

async function preview(door: object) {
  const { status, text, body } = await owner('POST', '/api/door/preview', { door })
  assert.equal(status, 200, text)
  return body.preview
}

/** The IDs of all streams, as `component/stream`. */
async function streamIds(): Promise<string[]> {
  const ids: string[] = []
  for (const { uid, id } of (await owner('GET', '/api/component?limit=1000')).body.component) {
    const { stream } = (await owner('GET', `/api/component/${uid}/stream`)).body
    ids.push(...stream.map((one: { id: string }) => `${id}/${one.id}`))
  }
  return ids.sort()
}

test('a preview gives the IDs that a write with the same rules then uses', async () => {
  const lines = [
    'weather,site=north,host=roof,job=a temperature=21.5,humidity=48i',
    'weather,place=south,host=roof,room=1\\,2 value=3 1767225600000',
    `weather,host=${'h'.repeat(600)} value=1`,
    '21.5,domain=sensor,entity_id=hall value=1,state_str="on"',
  ].join('\n')
  const { series, refused, isCut } = await preview({ lines, keyRule: RULE })
  assert.deepEqual([refused, isCut], [[], false])
  const first = series[0]
  assert.deepEqual(
    [first.line, first.component, first.stream],
    [1, 'north-roof', 'weather_temperature'],
  )
  assert.deepEqual(first.series, {
    __name__: 'weather_temperature',
    site: 'north',
    host: 'roof',
    job: 'a',
  })
  const before = await streamIds()
  assert.deepEqual(before, [], 'a preview stores nothing')
  const api_key = {
    name: 'ruled',
    capabilities: [{ resource: 'component/*/feed', methods: ['PUT'] }],
    addressRule: RULE,
  }
  const { body } = await owner('PUT', '/api/api_key', { api_key })
  const authorization = `Token ${body.api_key.secretKey}`
  const written = await new InfluxClient(service).post('/api/v3/write_lp', lines, { authorization })
  assert.equal(written.status, 204, written.text)
  const previewed = series.map(
    (one: { component: string; stream: string }) => `${one.component}/${one.stream}`,
  )
  assert.deepEqual(await streamIds(), previewed.sort())
})

test('rules are asked in their order: of the key, of the organization, of the protocol', async () => {
  const lines = 'm,host=h,site=s v=1'
  const componentOf = async (rules: object) =>
    (await preview({ lines, ...rules })).series[0].component
  const path = `/api/organization/${service.orgUid}`
  const addressRule = { component: 'saved-{host}' }
  const saved = await owner('POST', path, { organization: { addressRule } })
  assert.equal(saved.status, 200, saved.text)
  const site = { component: '{site}' }
  assert.equal(await componentOf({}), 'saved-h')
  assert.equal(await componentOf({ organizationRule: null }), 'h')
  assert.equal(await componentOf({ organizationRule: site }), 's')
  assert.equal(await componentOf({ keyRule: site }), 's')
  assert.equal(await componentOf({ keyRule: null }), 'saved-h')
  assert.equal(await componentOf({ keyRule: { component: '{missing}' } }), 'saved-h')
})

test('what cannot be read is named by line, a wrong rule by field, and what is long is cut', async () => {
  const found = await preview({ lines: 'm v=1\nm v\n\n# comment\nm v=1,w="a\nb"\nm,a=1,a=2 v=1' })
  assert.deepEqual(
    found.refused.map(({ line }: { line: number }) => line),
    [2, 7],
  )
  assert.deepEqual(
    found.series.map(({ line, stream }: { line: number; stream: string }) => [line, stream]),
    [
      [1, 'm_v'],
      [5, 'm_w'],
    ],
  )
  const many = Array.from({ length: 300 }, (_, at) => `m,n=${at} v=1`).join('\n')
  const cut = await preview({ lines: many })
  assert.deepEqual([cut.series.length, cut.isCut], [100, true])
  assert.deepEqual(await preview({}), { series: [], refused: [], isCut: false })
  for (const [door, field] of [
    [{ lines: 'm v=1', keyRule: { component: '' } }, 'door.keyRule.component'],
    [{ lines: 'm v=1', keyRule: { component: '{a' } }, 'door.keyRule.component'],
    [
      { lines: 'm v=1', organizationRule: { component: 'a', stream: '{a|}' } },
      'door.organizationRule.stream',
    ],
    [{ lines: 'm v=1'.repeat(4_001) }, 'door.lines'],
  ] as const) {
    const { status, body } = await owner('POST', '/api/door/preview', { door })
    assert.deepEqual([status, body.field], [400, field], JSON.stringify(body))
  }
})
