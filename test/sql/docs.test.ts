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
import { GS_SQL_LENGTH_MAX } from '../../src/sql/syntax/gs-sql-limits.ts'
import { QUERY_NESTING_MAX, STATEMENTS_MAX } from '../../src/sql/syntax/sql-grammar.ts'
import { AGGREGATES } from '../../src/sql/syntax/sql-words.ts'
import { docExamples, shownRow } from '../support/doc-examples.ts'
import { runGsSql } from '../support/run-gs-sql.ts'

const page = readFileSync('docs/gs-sql.md', 'utf8')
/** Those of stored data are run over HTTP: test/api/gql/docs.test.ts. */
const { others: examples } = docExamples(page)

test('every example of docs/gs-sql.md gives the rows that stand below it', () => {
  assert.ok(examples.length >= 12)
  for (const { sql, rows } of examples) {
    const shown = runGsSql(sql).at(-1)?.rows.map(shownRow)
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

test('docs/gs-sql.md shows an error as the service returns it, and the limits that apply', () => {
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

test('every fence of docs/gs-sql.md is an example that is run, but for the form of SELECT and a mistake', () => {
  const openings = [...page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
  const plain = openings.filter(([, language]) => language === '')
  assert.deepEqual(
    plain.map(([, , text]) => text.split('\n')[0]),
    [
      '[WITH [RECURSIVE] name[(columns)] AS (SELECT …), …]',
      'Unknown column "tmp": did you mean "temp"?',
    ],
  )
  const count = (language: string) => openings.filter(([, of]) => of === language).length
  assert.equal(count('sql'), count('text'))
  assert.equal(openings.length, plain.length + 2 * count('sql'))
})

test('functions give in GS SQL what their examples say, by their other names too; those of groups have an example here', () => {
  const given = (sql: string) => runGsSql(`SELECT ${sql}`)[0].rows[0][0]
  for (const { name, examples: own } of expressionFunctions) {
    for (const [text, result] of own) {
      assert.deepEqual(given(text), result, text)
      for (const [alias, meant] of FUNCTION_ALIASES) {
        if (meant !== name) continue
        const aliased = text.replace(new RegExp(`\\b${name}\\(`), `${alias}(`)
        assert.notEqual(aliased, text)
        assert.deepEqual(given(aliased), result, aliased)
      }
    }
  }
  const shown = examples.map(({ sql }) => sql).join('\n')
  for (const name of AGGREGATES.keys()) assert.match(shown, new RegExp(`\\b${name}\\(`, 'i'), name)
})
