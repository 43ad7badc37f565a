/** Random GS SQL: printed and read again, compiled and run, and never an error without a place. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { ExpressionError } from '../../src/expression/index.ts'
import { STORED_TABLES } from '../../src/gql/stored/stored-tables.ts'
import { printStatements } from '../../src/sql/syntax/print-statements.ts'
import { readSql } from '../../src/sql/syntax/read-sql.ts'
import type { Statement } from '../../src/sql/syntax/sql-tree.ts'
import { fc } from '../support/fast-check.ts'
import { roundsBy, roundsOf, testSeeds } from '../support/random.ts'
import { randomHeaps, randomPrograms, randomQueries } from '../support/random-sql.ts'
import { runGsSql } from '../support/run-gs-sql.ts'

const [seed] = testSeeds(1)
before((context) => {
  if ('diagnostic' in context) context.diagnostic(`WEIR_TEST_SEED=${seed} runs these again`)
})

/** Trees without the places in their text. */
function bare(statements: readonly Statement[]): unknown {
  return JSON.parse(
    JSON.stringify(statements, (key, value) => {
      if (key === 'span' || key === 'depth') return undefined
      return typeof value === 'bigint' ? `${value}n` : value
    }),
  )
}

/** Runs a text. An error must have its place, and no words of the engine below. */
function tryRun(text: string): boolean {
  try {
    runGsSql(text, { variables: { '@HTTP_BODY': '{"a":1}' } }, { stored: STORED_TABLES })
    return true
  } catch (error) {
    assert.ok(error instanceof ExpressionError, `${text}\n${(error as Error).stack}`)
    assert.ok(!error.message.startsWith('SQLITE'), `${text}\n${error.message}`)
    assert.ok(error.line >= 1 && error.column >= 1 && error.pointer.includes('^'), text)
    return false
  }
}

test('printStatements() gives a text that is read as the same tree', () => {
  const property = fc.property(randomPrograms, (text) => {
    const trees = readSql(text)
    const printed = printStatements(trees)
    assert.deepEqual(bare(readSql(printed)), bare(trees), `${text}\n${printed}`)
    assert.equal(printStatements(readSql(printed)), printed)
  })
  fc.assert(property, { seed, numRuns: roundsBy({ everyRun: 30, nightly: 60 }) })
})

test('random programs run, or report the error and its place', () => {
  fc.assert(
    fc.property(randomPrograms, (text) => {
      tryRun(text)
    }),
    { seed, numRuns: roundsOf(150) },
  )
})

test('queries whose names and types fit run, unless a value does not', () => {
  let ran = 0
  const property = fc.property(randomQueries, (text) => {
    if (tryRun(text)) ran += 1
  })
  fc.assert(property, { seed, numRuns: roundsBy({ everyRun: 100, nightly: 300 }) })
  assert.ok(ran > 30, `${ran} of them ran`)
})

test('heaps of words are refused with a place', () => {
  fc.assert(
    fc.property(randomHeaps, (text) => {
      tryRun(text)
    }),
    { seed, numRuns: roundsOf(500) },
  )
})
