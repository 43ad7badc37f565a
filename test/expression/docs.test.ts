import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import {
  checkExpression,
  EVALUATION_CHARACTERS_MAX,
  EXPRESSION_DEPTH_MAX,
  EXPRESSION_LENGTH_MAX,
  EXPRESSION_NESTING_MAX,
  EXPRESSION_NODES_MAX,
  ExpressionError,
  expressionFunctions,
} from '../../src/expression/index.ts'
import { renderExpressionDocs } from '../../tools/expression-docs.ts'

const page = readFileSync('docs/expressions.md', 'utf8')

test('docs/expressions.md has the functions as they are; `npm run docs` writes them', () => {
  assert.equal(page, renderExpressionDocs(page))
})

test('docs/expressions.md has the limits that apply', () => {
  const limits = [EXPRESSION_LENGTH_MAX, EXPRESSION_NODES_MAX, EXPRESSION_NESTING_MAX]
  for (const limit of [...limits, EXPRESSION_DEPTH_MAX, EVALUATION_CHARACTERS_MAX]) {
    assert.match(page, new RegExp(`\\| ${limit.toLocaleString('en')} \\|`))
  }
})

test('docs/expressions.md shows an error as the service returns it', () => {
  const variables = ['flow', 'return'].map((name) => ({ name, type: 'DOUBLE' as const }))
  try {
    checkExpression('(flw - return) * 2', { variables })
    assert.fail('the mistake is taken')
  } catch (error) {
    assert.ok(error instanceof ExpressionError)
    assert.ok(page.includes(`\n${error.message}\n${error.pointer}\n`))
  }
})

test('every function has a name of its own, one sentence of help and examples', () => {
  const names = expressionFunctions.map(({ name }) => name.toLowerCase())
  assert.equal(new Set(names).size, names.length)
  for (const { name, help, examples } of expressionFunctions) {
    assert.match(help, /^\S.*\.$/, name)
    assert.ok(examples.length > 0, name)
  }
})
