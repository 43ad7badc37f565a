/** docs/gs-sql.md: every example gives the rows below it, every function and limit is there. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import {
  ExpressionError,
  expressionFunctions,
  FUNCTION_ALIASES,
  signatureOf,
} from '../../src/expression/index.ts'
import { compileGsSql, INSERT_OPTIONS } from '../../src/sql/index.ts'
import { GS_SQL_LENGTH_MAX } from '../../src/sql/syntax/read-sql.ts'
import { QUERY_NESTING_MAX, STATEMENTS_MAX } from '../../src/sql/syntax/sql-grammar.ts'
import { AGGREGATES } from '../../src/sql/syntax/sql-words.ts'
import { runGsSql } from '../support/run-gs-sql.ts'

const page = readFileSync('docs/gs-sql.md', 'utf8')
const examples = page
  .split('```sql\n')
  .slice(1)
  .map((part) => {
    const [sql, , rows = ''] = part.split(/```(?:text)?\n/)
    return { sql, rows: rows.trimEnd() }
  })

test('every example of docs/gs-sql.md gives the rows that stand below it', () => {
  assert.ok(examples.length >= 12)
  for (const { sql, rows } of examples) {
    const shown = runGsSql(sql)
      .at(-1)
      ?.rows.map((row) => row.map((value) => (value === null ? 'NULL' : String(value))).join(' | '))
    assert.equal(shown?.join('\n'), rows, sql)
  }
})

test('docs/gs-sql.md names every function, alias, variable and option', () => {
  for (const entry of expressionFunctions)
    assert.ok(page.includes(`\`${signatureOf(entry)}\``), entry.name)
  for (const [alias, name] of FUNCTION_ALIASES) {
    assert.ok(page.includes(`\`${alias}\``) && page.includes(`\`${name}\``), alias)
  }
  for (const name of [...AGGREGATES.keys(), ...INSERT_OPTIONS]) assert.ok(page.includes(name), name)
  for (const name of compileGsSql('SELECT 1').variables)
    assert.ok(page.includes(`\`${name}\``), name)
})

test('docs/gs-sql.md shows a mistake as it is told, and the limits that hold', () => {
  try {
    compileGsSql('SELECT tmp FROM (SELECT 1 AS temp) t')
    assert.fail('the mistake is taken')
  } catch (error) {
    assert.ok(error instanceof ExpressionError)
    assert.ok(page.includes(`\n${error.message}\n${error.pointer}\n`))
  }
  for (const limit of [GS_SQL_LENGTH_MAX, STATEMENTS_MAX, QUERY_NESTING_MAX]) {
    assert.ok(page.includes(`| ${limit.toLocaleString('en')} |`), String(limit))
  }
})
