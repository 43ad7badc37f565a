import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '../../src/base/index.ts'
import { ExpressionError } from '../../src/expression/index.ts'
import { CompileThread, compileGsSql } from '../../src/sql/index.ts'

const OPTIONS = { timeZoneId: 'Europe/Berlin' }
const LONG = `SELECT 1 WHERE 5 IN (${Array.from({ length: 2_000 }, (_, at) => at).join(', ')})`

function whatFails(work: () => unknown): ExpressionError {
  try {
    work()
  } catch (error) {
    if (error instanceof ExpressionError) return error
    throw error
  }
  assert.fail('it did not fail')
}

test('a thread compiles to the same program, and reports errors at the same place', async (t) => {
  const thread = new CompileThread()
  t.after(() => thread.close())
  assert.deepEqual(await thread.compile(LONG, OPTIONS), compileGsSql(LONG, OPTIONS))
  const mistakes = [
    'SELEC 1',
    `${LONG};\nSELECT 1 +\n  nope(2)`,
    '',
    `SELECT 1;\r\nSELECT "a" FROM\n\n`,
  ]
  for (const text of mistakes) {
    const expected = whatFails(() => compileGsSql(text, OPTIONS))
    const { message, line, column, length, pointer } = expected
    await assert.rejects(thread.compile(text, OPTIONS), {
      name: 'ExpressionError',
      message,
      line,
      column,
      length,
      pointer,
    })
  }
  // The thread lives on after mistakes.
  assert.deepEqual(await thread.compile('SELECT 2', {}), compileGsSql('SELECT 2', {}))
})

test('a thread that was closed starts again', async (t) => {
  const thread = new CompileThread()
  t.after(() => thread.close())
  await thread.compile('SELECT 1', {})
  await thread.close()
  assert.deepEqual(await thread.compile('SELECT 2', {}), compileGsSql('SELECT 2', {}))
})

test('more texts than may wait are refused, and the others compiled', async (t) => {
  const thread = new CompileThread()
  t.after(() => thread.close())
  const texts = Array.from({ length: 30 }, (_, at) => `SELECT ${at}`)
  const ended = await Promise.allSettled(texts.map((text) => thread.compile(text, {})))
  const refused = ended.filter(({ status }) => status === 'rejected')
  assert.equal(refused.length, 10)
  for (const { reason } of refused as PromiseRejectedResult[]) {
    assert.ok(reason instanceof Refusal)
    assert.equal(reason.code, 'sql_unavailable')
  }
  assert.deepEqual(await thread.compile('SELECT 2', {}), compileGsSql('SELECT 2', {}))
})
