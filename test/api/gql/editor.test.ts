/** What an editor of GS SQL asks: its words, and whether a text can be run. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AGGREGATES } from '../../../src/sql/index.ts'
import { caller } from '../../support/caller.ts'
import { ownerOfFile, serviceOfFile } from '../../support/service-of-file.ts'

const service = serviceOfFile()
const owner = ownerOfFile(service)

test('the language names keywords, functions, system variables and tables with their columns', async () => {
  const { status, body, text } = await owner('GET', '/api/gql/language')
  assert.equal(status, 200, text)
  const { keywords, functions, variables, tables } = body.language
  for (const word of ['SELECT', 'INSERT', 'AND', 'RECURSIVE']) assert.ok(keywords.includes(word))
  const names = new Set(functions.map(({ name }: { name: string }) => name))
  for (const name of [...AGGREGATES.keys(), 'now', 'parseCsv', 'round']) assert.ok(names.has(name))
  assert.ok(variables.some(({ name }: { name: string }) => name === '@HTTP_BODY'))
  const stream = tables.find(({ name }: { name: string }) => name === 'STREAM')
  assert.deepEqual(stream.columns[0], { name: 'cid', valueType: 'STRING', isHidden: false })
})

test('every aggregate of the language can be run as its example says', async () => {
  const { body } = await owner('GET', '/api/gql/language')
  const grouped = body.language.functions.filter(
    ({ group }: { group: string }) => group === 'Aggregates' || group === 'Request',
  )
  for (const { example } of grouped) {
    const sql = `SELECT ${example} FROM SAMPLE`
    const check = await owner('POST', '/api/gql/check', { sql })
    assert.deepEqual(check.body.check, { isValid: true, error: null }, example)
  }
})

test('a check returns the place of the first error, and runs nothing', async () => {
  const sql =
    "SELECT 1;\nINSERT OR REPLACE INTO SAMPLE(CID, ID, SAMPLE) SELECT 'c', 's', nme FROM STREAM"
  const { status, body, text } = await owner('POST', '/api/gql/check', { sql })
  assert.equal(status, 200, text)
  const { isValid, error } = body.check
  assert.equal(isValid, false)
  assert.deepEqual([error.line, error.column, error.length], [2, 65, 3], text)
  const fine = await owner('POST', '/api/gql/check', { sql: sql.replace('nme', '1') })
  assert.deepEqual(fine.body.check, { isValid: true, error: null })
  const { body: found } = await owner('GET', '/api/gql?s=SELECT%20count(*)%20FROM%20COMPONENT')
  assert.deepEqual(found.rows, [[0]])
})

test('blank texts, wrong zones and callers without the right are refused', async () => {
  assert.equal((await owner('POST', '/api/gql/check', { sql: ' ' })).status, 400)
  assert.equal((await owner('POST', '/api/gql/check', { sql: 'SELECT 1', tz: 'x' })).status, 400)
  const key = caller(service, `api_key=${service.feedKey}`)
  assert.equal((await key('POST', '/api/gql/check', { sql: 'SELECT 1' })).status, 403)
  assert.equal((await key('GET', '/api/gql/language')).status, 403)
})
