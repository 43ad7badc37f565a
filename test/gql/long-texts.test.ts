import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CompiledTexts } from '../../src/gql/compiled-texts.ts'
import { CompileThread } from '../../src/sql/index.ts'
import { openGql } from '../support/gql-home.ts'

const NUMBERS = Array.from({ length: 2_000 }, (_, at) => at).join(', ')
const about = (sql: string) => ({ sql, timeZoneId: 'UTC', stored: undefined })

test('long texts are compiled in the thread once, short ones here', async (t) => {
  const thread = new CompileThread()
  t.after(() => thread.close())
  const asked: string[] = []
  const texts = new CompiledTexts({
    compile: (text, options) => {
      asked.push(text)
      return thread.compile(text, options)
    },
  })
  const long = `SELECT 1 WHERE 5 IN (${NUMBERS})`
  const wrong = `SELECT 1 WHERE 5 IN (${NUMBERS}) nope nope`
  for (let time = 0; time < 2; time++) {
    for (const sql of ['SELECT 1', long, wrong]) await texts.prepare(about(sql))
    assert.equal(texts.take(about(long)).program.text, long)
    assert.throws(() => texts.take(about(wrong)), { name: 'ExpressionError', line: 1 })
  }
  assert.deepEqual(asked, [long, wrong])
  assert.equal(texts.compiledCount, 2, 'nothing was compiled again here')
})

test('a run of a long text stores its samples, and reports an error at its place', async (t) => {
  const home = await openGql(t)
  const insert = `INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE)\nSELECT 'c', 's', 1, 7 WHERE 5 IN (${NUMBERS})`
  const { sampleCount } = await home.run(insert)
  assert.equal(sampleCount, 1)
  await assert.rejects(
    home.run(`${insert}\n  nope nope`),
    (error: { place?: { line: number } }) => {
      assert.equal(error.place?.line, 3)
      return true
    },
  )
  assert.deepEqual(await home.readOf('c', 's'), [[1, 7]])
})
