/** The time range of a query's caller. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { ownerOfFile, serviceOfFile } from '../../support/service-of-file.ts'

const service = serviceOfFile()
const owner = ownerOfFile(service)

before(async () => {
  const samples = [1, 2, 3, 4].map((time) => ({ compId: 'a', streamId: 's', time, data: time }))
  assert.equal((await owner('PUT', '/api/feed', samples)).status, 200)
})

const WITHIN = 'SELECT time FROM SAMPLE WHERE time >= @from AND time < @until ORDER BY time'

test('a text, a posted one and a saved query have the range of the call as @FROM and @UNTIL', async () => {
  const range = 'from=2&until=4'
  const got = await owner('GET', `/api/gql?s=${encodeURIComponent(WITHIN)}&${range}`)
  assert.deepEqual(got.body.rows, [[2], [3]], got.text)
  const posted = await owner('POST', '/api/gql', { sql: WITHIN, dryRun: true, from: 3, until: 9 })
  assert.deepEqual(posted.body.rows, [[3], [4]], posted.text)
  const made = await owner('PUT', '/api/query', { query: { name: 'Within', sql: WITHIN } })
  assert.equal(made.status, 200, made.text)
  const path = `/api/query/${made.body.query.uid}/results`
  assert.deepEqual((await owner('GET', `${path}?${range}`)).body.rows, [[2], [3]])
  assert.deepEqual((await owner('GET', path)).body.rows, [], 'NULL where nothing is said')
  assert.deepEqual(
    (await owner('GET', `${path}?from=-5&until=8640000000000000`)).body.rows.length,
    4,
  )
  for (const wrong of [
    'from=1.5',
    'until=x',
    'from=2026-01-31',
    'until=8640000000000001',
    'from=1&from=2',
  ]) {
    const refused = await owner('GET', `${path}?${wrong}`)
    assert.equal(refused.status, 400, `${wrong} ${refused.text}`)
    assert.equal(refused.body.field, wrong.slice(0, wrong.indexOf('=')))
  }
  const refused = await owner('POST', '/api/gql', { sql: WITHIN, from: true })
  assert.deepEqual([refused.status, refused.body.field], [400, 'from'])
})

test('SET counts more than the range of a call, and a default stands in for none', async () => {
  const sql = 'SET @from = 4; SELECT @FROM, coalesce(@until, 7)'
  const { body, text } = await owner('GET', `/api/gql?s=${encodeURIComponent(sql)}&from=1`)
  assert.deepEqual(body.rows, [[4, 7]], text)
})
