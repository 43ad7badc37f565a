/** Payloads as real services send them, with data made up: what their GS SQL makes of them. */
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { test } from 'node:test'
import type { SqlCell } from '../../src/sql/index.ts'
import type { AssignedSpan } from '../../src/store/index.ts'
import { refused } from '../support/feed-home.ts'
import { openGql } from '../support/gql-home.ts'

/** The time zones of connectors; UTC if unsaid. */
const ZONES: Readonly<Record<string, string>> = { 'digi-csv': 'Europe/Berlin' }

interface Payload {
  readonly name: string
  readonly sql: string
  readonly timeZoneId: string
  readonly variables: Readonly<Record<string, SqlCell>>
  readonly samples: Readonly<Record<string, [number, number | string][]>>
}

const payloads = globSync('test/fixtures/payloads/*/connector.sql')
  .map((file) => readPayload(dirname(file)))
  .sort((a, b) => a.name.localeCompare(b.name))

function readPayload(folder: string): Payload {
  const name = basename(folder)
  const textOf = (file: string) => readFileSync(join(folder, file), 'utf8')
  const [body] = globSync(join(folder, 'body.*'))
  const hasQuery = existsSync(join(folder, 'query.txt'))
  return {
    name,
    sql: textOf('connector.sql'),
    timeZoneId: ZONES[name] ?? 'UTC',
    variables: {
      '@HTTP_METHOD': hasQuery ? 'GET' : 'POST',
      '@HTTP_QUERY_STRING': hasQuery ? textOf('query.txt') : '',
      '@HTTP_BODY': body === undefined ? null : readFileSync(body, 'utf8'),
    },
    samples: JSON.parse(textOf('samples.json')),
  }
}

test('every payload becomes its samples, and once more the same', async (t) => {
  const home = await openGql(t)
  assert.equal(payloads.length, 6)
  let expected: Payload['samples'] = {}
  for (const { name, sql, samples, ...given } of payloads) {
    const dry = await home.run(sql, { ...given, isDry: true })
    assert.deepEqual(await home.stored(), expected, `${name} dry`)
    assert.equal(dry.created?.length, Object.keys(samples).length, name)
    expected = Object.fromEntries(Object.entries({ ...expected, ...samples }).sort())
    let earlier: readonly AssignedSpan[] = []
    const keep = async (spans: readonly AssignedSpan[]) => {
      earlier = spans
    }
    for (let round = 0; round < 2; round += 1) {
      const repeat = { earlier, isPast: false, keep }
      const { sampleCount } = await home.run(sql, { ...given, key: name, repeat })
      assert.equal(sampleCount, dry.samples?.length, name)
      assert.deepEqual(await home.stored(), expected, name)
    }
  }
})

test('payloads that are empty, cut off or of another kind store nothing, and say why where they must', async (t) => {
  const home = await openGql(t)
  const check = async (name: string, body: SqlCell, expected: RegExp | number) => {
    const payload = payloads.find((one) => one.name === name)
    assert.ok(payload !== undefined)
    const { sql, timeZoneId } = payload
    const variables = { ...payload.variables, '@HTTP_BODY': body, '@HTTP_QUERY_STRING': body }
    const run = home.run(sql, { timeZoneId, variables })
    const about = `${name} ${String(body).slice(0, 40)}`
    if (typeof expected === 'number') assert.equal((await run).sampleCount, expected, about)
    else {
      const { message, place } = await refused(run)
      assert.match(message, expected, about)
      assert.ok(place !== undefined && place.line >= 1 && place.pointer.includes('^'), about)
    }
    if (expected !== 0) return
    assert.deepEqual(await home.stored(), {}, about)
  }
  for (const body of [null, '', ' \r\n']) {
    for (const name of ['things-stack', 'imonnit', 'digi-csv', 'rss']) await check(name, body, 0)
    await check('sigfox', body, /"CID" is NULL/)
    await check('slash-text', body, /"ID" (?:is NULL|must not be blank)/)
  }
  const [whole] = payloads.filter(({ name }) => name === 'imonnit')
  const cut = String(whole.variables['@HTTP_BODY']).slice(0, 900)
  for (const name of ['things-stack', 'imonnit']) {
    await check(name, cut, /^Line \d+, column \d+: .*no JSON/)
    await check(name, '<html>', /no JSON/)
  }
  await check('imonnit', '{"sensorMessages":[]}', 0)
  await check('imonnit', '{"sensorMessages":{}}', 0)
  await check('imonnit', '{"gatewayMessage":{}}', 0)
  await check('imonnit', '{"sensorMessages":[{}]}', /"CID" is NULL/)
  await check(
    'imonnit',
    '{"sensorMessages":[{"sensorID":"1","messageDate":"noon"}]}',
    /Cannot read "noon"/,
  )
  await check('things-stack', '{}', /"CID" is NULL/)
  await check('digi-csv', 'h\n"2024-03-05', /quote/)
  await check('digi-csv', 'h\n2024-03-05', /Cannot read "2024-03-05"/)
  await check('digi-csv', 'h\n2024-03-05 09:08:09', /"ID" is NULL/)
  await check('rss', '<item></item>', /"CID" is NULL/)
  // Its one row has no value: a stream without samples.
  const [slash] = payloads.filter(({ name }) => name === 'slash-text')
  const variables = { ...slash.variables, '@HTTP_BODY': 'TC' }
  const { sampleCount } = await home.run(slash.sql, { timeZoneId: slash.timeZoneId, variables })
  assert.equal(sampleCount, 0)
  assert.deepEqual(Object.values(await home.stored()), [[]])
})
