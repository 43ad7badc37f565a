import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseFailure } from '../database-port.ts'
import {
  requireMysqlReading,
  requireOracleReading,
  requireSqlserverReading,
} from './require-reading.ts'

const refusalOf = (check: () => void): DatabaseFailure | undefined => {
  try {
    check()
  } catch (error) {
    if (error instanceof DatabaseFailure) return error
    throw error
  }
  return undefined
}

const USUAL = { hasBackslashes: true, hasAnsiQuotes: false }

test('requireMysqlReading() names the place, the problem, and the fix', () => {
  const refusal = refusalOf(() => requireMysqlReading('-- 😀\n  call p()', USUAL))
  assert.equal(
    refusal?.message,
    'External SQL only reads: statements that start with CALL are not allowed. Write one SELECT (or WITH … SELECT)',
  )
  assert.deepEqual(refusal?.place, { line: 2, column: 3 })
  assert.equal(refusal?.reason, 'sql')
})

test('requireMysqlReading() follows quotes as the modes of the session do', () => {
  const isRefused = (sql: string, modes = USUAL) =>
    refusalOf(() => requireMysqlReading(sql, modes)) !== undefined
  const single = `SELECT 'a\\' INTO OUTFILE '/x' -- '`
  assert.equal(isRefused(single), false)
  assert.equal(isRefused(single, { ...USUAL, hasBackslashes: false }), true)
  const double = `SELECT "a\\" INTO OUTFILE '/x' -- "`
  assert.equal(isRefused(double), false)
  assert.equal(isRefused(double, { ...USUAL, hasAnsiQuotes: true }), true)
  const hidden = [
    'select 1 --1\n into outfile 1',
    'select 1.into dumpfile 1',
    'select 1e5into outfile 1',
  ]
  const hints = ["select /*+ qb_name(`*/ ' `) */ 1 into outfile 1 -- '", 'explain analyze select 1']
  for (const sql of [...hidden, ...hints]) assert.equal(isRefused(sql), true, sql)
  for (const sql of ['', ' ', '()', ';select 1', '/*', "'select'"]) {
    assert.equal(isRefused(sql), true, sql)
  }
  for (const sql of ['((select 1))', 'select /*+ NO_ICP(t) */ `into outfile`', "select ''''"]) {
    assert.equal(isRefused(sql), false, sql)
  }
})

test('requireOracleReading() takes queries alone', () => {
  const isRefused = (sql: string) => refusalOf(() => requireOracleReading(sql)) !== undefined
  for (const sql of [
    'BEGIN COMMIT; DELETE FROM t; COMMIT; END;',
    'CALL p()',
    'COMMIT',
    'declare x int;',
    'WITH /* a */ FUNCTION f RETURN NUMBER IS BEGIN RETURN 1; END; SELECT f FROM dual',
  ]) {
    assert.equal(isRefused(sql), true, sql)
  }
  for (const sql of [
    'select 1 from dual',
    '--x\n(SELECT 1 FROM dual)',
    'with t as (select 1 from dual) select * from t',
  ]) {
    assert.equal(isRefused(sql), false, sql)
  }
})

test('requireSqlserverReading() refuses what ends the transaction, wherever it stands', () => {
  const isRefused = (sql: string) => refusalOf(() => requireSqlserverReading(sql)) !== undefined
  for (const sql of [
    'SELECT 1 COMMIT',
    'select 1commit',
    'select 1.5commit',
    'SELECT $1rollback',
    'EXEC p',
    "/* /* */ ' */ SELECT 1 COMMIT --'",
    "SELECT 1 EXEC('COMMIT')",
    'p',
    '--\rSELECT 1 COMMIT',
    'BEGIN TRAN',
    'SELECT [a]] COMMIT --] COMMIT',
    "SELECT 'a\\' COMMIT --'",
  ]) {
    assert.equal(isRefused(sql), true, sql)
  }
  for (const sql of [
    'SELECT [commit], "exec", \'insert\' FROM t -- commit\r\n',
    'SELECT @commit, committed FROM t',

    'DECLARE @a INT = 1; SELECT @a',
    'SET DATEFIRST 1; SELECT 1',
    'WITH t AS (SELECT 1 a) SELECT a FROM t',
    'SELECT [a]] COMMIT] FROM t',
  ]) {
    assert.equal(isRefused(sql), false, sql)
  }
})
