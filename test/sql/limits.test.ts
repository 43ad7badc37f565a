/** Texts that are too long, too deep or too many are refused with a place, in little time. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ExpressionError } from '../../src/expression/index.ts'
import { compileGsSql } from '../../src/sql/index.ts'
import { GS_SQL_LENGTH_MAX } from '../../src/sql/syntax/gs-sql-limits.ts'
import { QUERY_NESTING_MAX, STATEMENTS_MAX } from '../../src/sql/syntax/sql-grammar.ts'
import { runGsSql } from '../support/run-gs-sql.ts'

function refuses(text: string, message: RegExp): void {
  assert.throws(
    () => compileGsSql(text),
    (error) => {
      assert.ok(error instanceof ExpressionError, String(error).slice(0, 200))
      assert.match(error.message, message)
      return error.line >= 1
    },
  )
}

test('the length of a text is limited', () => {
  const text = `SELECT '${'x'.repeat(GS_SQL_LENGTH_MAX - 9)}'`
  assert.equal(text.length, GS_SQL_LENGTH_MAX)
  compileGsSql(text)
  refuses(`${text} `, /The text has 200001 characters, at most 200000/)
})

test('queries within queries are limited, and what is taken runs', () => {
  const nested = (levels: number) =>
    `${'SELECT * FROM ('.repeat(levels - 1)}SELECT 1 AS x${') t'.repeat(levels - 1)}`
  assert.deepEqual(runGsSql(nested(QUERY_NESTING_MAX))[0].rows, [[1]])
  refuses(nested(QUERY_NESTING_MAX + 1), /Queries are nested deeper than 20 levels/)
  refuses(nested(5_000), /Queries are nested deeper than 20 levels/)
  const scalar = (levels: number) =>
    `${'SELECT ('.repeat(levels - 1)}SELECT 1${')'.repeat(levels - 1)}`
  assert.deepEqual(runGsSql(scalar(QUERY_NESTING_MAX))[0].rows, [[1]])
  refuses(scalar(3_000), /nested deeper/)
  refuses(`SELECT ${'('.repeat(5_000)}1${')'.repeat(5_000)}`, /nested deeper than 100 levels/)
  refuses(
    `SELECT ${Array.from({ length: 400 }, () => '1').join(' + ')}`,
    /Nested deeper than 250 levels/,
  )
})

test('statements, parts, tables and columns are limited', () => {
  assert.equal(compileGsSql('SELECT 1;'.repeat(STATEMENTS_MAX)).statements.length, STATEMENTS_MAX)
  refuses('SELECT 1;'.repeat(STATEMENTS_MAX + 1), /Too many statements: at most 100/)
  const items = (count: number) => Array.from({ length: count }, () => '1').join(', ')
  assert.equal(runGsSql(`SELECT ${items(500)}`)[0].rows[0].length, 500)
  refuses(`SELECT ${items(501)}`, /SELECT gives more than 500 columns/)
  refuses(`SELECT ${items(20_001)}`, /The text has more than 20000 terms/)
  const tables = (count: number) =>
    Array.from({ length: count }, (_, at) => `(SELECT 1 AS x) t${at}`).join(', ')
  assert.deepEqual(runGsSql(`SELECT count(*) FROM ${tables(50)}`)[0].rows, [[1]])
  refuses(`SELECT 1 FROM ${tables(51)}`, /FROM has more than 50 tables/)
  const commons = (count: number) =>
    Array.from({ length: count }, (_, at) => `w${at} AS (SELECT 1 AS x)`).join(', ')
  refuses(`WITH ${commons(101)} SELECT 1`, /WITH has more than 100 tables/)
})
