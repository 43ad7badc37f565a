/** The parameters `h` and `c` of calls that answer rows, and CAST to INT. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownerOfFile, serviceOfFile } from '../../support/service-of-file.ts'

const service = serviceOfFile()
const owner = ownerOfFile(service)

const run = (query: string) => owner('GET', `/api/gql?s=SELECT+1+AS+one&${query}`)

test('h is a flag: absent or present counts, false in any case and 0 do not', async () => {
  for (const h of ['', 'h', 'h=', 'h=1', 'h=true', 'h=yes']) {
    assert.equal((await run(`format=csv&${h}`)).text, 'one\r\n1\r\n', h)
  }
  for (const h of ['h=0', 'h=false', 'h=FALSE', 'h=False']) {
    const { text, headers } = await run(`format=csv&${h}`)
    assert.equal(text, '1\r\n', h)
    assert.match(headers.get('content-type') ?? '', /header=absent/)
  }
})

test('a blank c counts as absent; what is no count from 1 on is a 400', async () => {
  for (const c of ['c=', 'c', 'c=+', 'c=%20', 'c=5']) {
    const { status, body, text } = await run(c)
    assert.equal(status, 200, `${c} ${text}`)
    assert.deepEqual(body.rows, [[1]])
  }
  for (const c of ['c=0', 'c=-1', 'c=1.5', 'c=x', 'c=1&c=2']) {
    const { status, body } = await run(c)
    assert.deepEqual([status, body.field], [400, 'c'], c)
  }
})

test('CAST takes INT as it takes INTEGER and LONG', async () => {
  const types = ['INT', 'int', 'INTEGER', 'LONG']
  const sql = `SELECT ${types.map((type) => `CAST('22.9' AS ${type})`).join(', ')}`
  const { body, text } = await owner('GET', `/api/gql?s=${encodeURIComponent(sql)}`)
  assert.deepEqual(body.rows, [[22, 22, 22, 22]], text)
  const table = `SELECT n FROM JSON_TABLE('[{"n":"7"}]') WITH (n INT '$[*].n')`
  const rows = await owner('GET', `/api/gql?s=${encodeURIComponent(table)}`)
  assert.deepEqual(rows.body.rows, [[7]], rows.text)
})

test('records of more streams than a slice are read once each', async () => {
  const count = 1_100
  const body = Array.from({ length: count }, (_, at) => ({
    compId: 'wide',
    streamId: `s${at}`,
    data: 1,
  }))
  assert.equal((await owner('PUT', '/api/feed', body)).status, 200)
  const sql = `SELECT name FROM STREAM WHERE cid = 'wide'`
  const { body: answer } = await owner('GET', `/api/gql?c=5000&s=${encodeURIComponent(sql)}`)
  const names = answer.rows.map(([name]: [string]) => name)
  assert.deepEqual(new Set(names), new Set(body.map(({ streamId }) => streamId)))
  assert.equal(names.length, count)
})
