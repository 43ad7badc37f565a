/** Random expressions: printed and read again, and run by closures, over columns and by SQLite. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  type CheckedExpression,
  checkExpression,
  compileExpression,
  type Expression,
  ExpressionError,
  type ExpressionValue,
  parseExpression,
  printExpression,
} from '../../src/expression/index.ts'
import { ExpressionSqlite } from '../support/expression-sqlite.ts'
import { anyCharacter, fc } from '../support/fast-check.ts'
import { roundsOf, testSeeds } from '../support/random.ts'
import { randomExpressions, randomValues, randomVariables } from '../support/random-expressions.ts'

const variables = randomVariables
const sqlite = new ExpressionSqlite()
after(() => sqlite.close())
const [seed] = testSeeds(1)
before((context) => {
  if ('diagnostic' in context) context.diagnostic(`WEIR_TEST_SEED=${seed} runs these again`)
})

/** A tree without the places in its text. */
function bare(tree: Expression): unknown {
  return JSON.parse(
    JSON.stringify(tree, (key, value) => {
      if (key === 'span' || key === 'depth') return undefined
      return typeof value === 'bigint' ? `${value}n` : value
    }),
  )
}

type Outcome = { value: ExpressionValue } | { failure: string }

function outcomeOf(run: () => ExpressionValue): Outcome {
  try {
    return { value: run() }
  } catch (error) {
    assert.ok(error instanceof ExpressionError, String(error))
    return { failure: error.message }
  }
}

/** Equal values: numbers by amount, whatever keeps them. */
function areSame(one: ExpressionValue, other: ExpressionValue): boolean {
  if (one === other) return true
  const areNumbers = typeof one !== 'string' && typeof other !== 'string'
  if (one === null || other === null || !areNumbers) return false
  return !(one < other) && !(one > other)
}

/** The expression, or undefined where its types do not fit. */
function tryCheck(text: string): CheckedExpression | undefined {
  try {
    return checkExpression(text, { variables })
  } catch (error) {
    assert.ok(error instanceof ExpressionError, String(error))
    return undefined
  }
}

test('printExpression() gives a text that is read as the same tree', () => {
  const property = fc.property(randomExpressions.any, (text) => {
    const tree = parseExpression(text, variables)
    const printed = printExpression(tree)
    assert.deepEqual(bare(parseExpression(printed, variables)), bare(tree), printed)
    assert.equal(printExpression(parseExpression(printed, variables)), printed)
  })
  fc.assert(property, { seed, numRuns: roundsOf(2_000) })
})

test('operators without parentheses are read, printed and read as the same tree', () => {
  const operators = ['+', '-', '*', '/', '%', '||', '=', '<>', '<', '>=', 'AND', 'OR', '&&', '==']
  const operand = fc.constantFrom(
    'x',
    'n',
    's',
    'on',
    '1',
    "'a'",
    'TRUE',
    '-2',
    '!on',
    'NOT x',
    '- n',
  )
  const tests = fc.constantFrom(
    '',
    '',
    '',
    ' IS NULL',
    ' IN (1, 2)',
    ' BETWEEN 1 AND 2',
    " LIKE 's'",
  )
  const part = fc.tuple(fc.constantFrom(...operators), operand, tests)
  const property = fc.property(operand, fc.array(part, { maxLength: 6 }), (first, parts) => {
    const text =
      first + parts.map(([operator, next, last]) => ` ${operator} ${next}${last}`).join('')
    const tree = parseExpression(text, variables)
    const printed = printExpression(tree)
    assert.deepEqual(bare(parseExpression(printed, variables)), bare(tree), `${text} as ${printed}`)
  })
  fc.assert(property, { seed, numRuns: roundsOf(2_000) })
})

test('closures and SQLite give the same for the same values', () => {
  let run = 0
  let failed = 0
  const property = fc.property(randomExpressions.any, randomValues, (text, values) => {
    const checked = tryCheck(text)
    if (checked === undefined) return
    run += 1
    const one = outcomeOf(() => compileExpression(checked).evaluate(values))
    const other = outcomeOf(() => sqlite.evaluate(checked, values))
    if ('failure' in one && 'failure' in other) {
      failed += 1
      return
    }
    if ('failure' in one || 'failure' in other) {
      assert.fail(`${text}: ${JSON.stringify([one, other])}`)
    }
    assert.ok(areSame(one.value, other.value), `${text}: ${one.value}, in SQLite ${other.value}`)
  })
  fc.assert(property, { seed, numRuns: roundsOf(3_000) })
  assert.ok(run > roundsOf(1_000) && failed < run / 2, `${run} ran, ${failed} failed`)
})

test('evaluateNumbers() gives what evaluate() gives, row by row', () => {
  let run = 0
  const rows = fc.array(randomValues, { minLength: 1, maxLength: 5 })
  const anyNumber = fc.oneof(randomExpressions.number, randomExpressions.condition)
  const property = fc.property(anyNumber, rows, (text, table) => {
    const checked = tryCheck(text)
    const compiled = checked && compileExpression(checked)
    if (compiled?.evaluateNumbers === undefined) return
    run += 1
    const columns = variables.map((_, index) =>
      Float64Array.from(table, (values) => {
        const value = values[index]
        return value === null || typeof value === 'string' ? Number.NaN : Number(value)
      }),
    )
    const results = new Float64Array(table.length)
    const failures = compiled.evaluateNumbers(columns, results)
    let failed = 0
    results.forEach((result, row) => {
      const outcome = outcomeOf(() => compiled.evaluate(columns.map((column) => column[row])))
      if ('failure' in outcome) failed += 1
      const value = 'failure' in outcome ? null : outcome.value
      const number = value === null ? Number.NaN : Number(value)
      assert.ok(Object.is(result + 0, number + 0), `${text}: ${result}, not ${value}`)
    })
    assert.equal(failures.count, failed, text)
  })
  fc.assert(property, { seed, numRuns: 2_000 })
  assert.ok(run > 100, `${run} ran`)
})

test('checkExpression() ends with an expression or an ExpressionError, whatever the text', () => {
  const words = [
    'x',
    's',
    '1',
    "'",
    '"',
    '(',
    ')',
    ',',
    '.',
    '+',
    '-',
    '*',
    '/',
    '%',
    '=',
    '<',
    '>',
  ]
  const more = ['!', '|', '||', '&&', 'NOT', 'AND', 'IN', 'IS', 'NULL', 'CASE', 'WHEN', 'END', '@']
  const soup = fc.array(
    fc.constantFrom(...words, ...more, 'abs(', 'if(', 'CAST(', ' AS LONG)', '--\n', '/*', '*/'),
  )
  const property = fc.property(
    fc.oneof(
      soup.map((parts) => parts.join(' ')),
      fc.string({ unit: anyCharacter, maxLength: 40 }),
    ),
    (text) => {
      const checked = tryCheck(text)
      if (checked !== undefined) {
        outcomeOf(() => compileExpression(checked).evaluate(variables.map(() => null)))
      }
    },
  )
  fc.assert(property, { seed, numRuns: roundsOf(3_000) })
})
