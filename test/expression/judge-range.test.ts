import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkExpression, compileExpression, judgeRange } from '../../src/expression/index.ts'
import { Random, roundsOf, testSeeds } from '../support/random.ts'

const TYPES = ['DOUBLE', 'LONG', 'BOOLEAN'] as const

function judgeOf(text: string, type: (typeof TYPES)[number] = 'DOUBLE') {
  return judgeRange(checkExpression(text, { variables: [{ name: 'x', type }] }).term)
}

test('judgeRange() decides comparisons with numbers, and nothing else', () => {
  const decided = [
    'x > 3',
    '3 < x',
    'x = -2.5',
    'x <> 1',
    'NOT x >= 1 AND (x < 7 OR x = 9)',
    'x BETWEEN 1 AND 3',
  ]
  for (const text of decided) assert.ok(judgeOf(text), text)
  const others = ['x + 1 > 3', 'x > NULL', 'x IS NULL', 'ABS(x) > 1', 'x > x', '1 < 2', 'x IN (1)']
  for (const text of others) assert.equal(judgeOf(text), undefined, text)
  assert.equal(judgeOf('x > 3')?.(1, 3), 0)
  assert.equal(judgeOf('x > 3')?.(3.5, 4), 1)
  assert.equal(judgeOf('x > 3')?.(3, 4), undefined)
  assert.equal(judgeOf('x', 'BOOLEAN')?.(0, 0), 0)
  assert.equal(judgeOf('NOT x', 'BOOLEAN')?.(0, 0), 1)
})

function randomCondition(random: Random, depth = 0): string {
  const number = () => random.pick([-2, -1, 0, 1, 2, 0.5, -0.5])
  const part = () => `(${randomCondition(random, depth + 1)})`
  const kind = depth < 3 ? random.integer(0, 6) : random.integer(3, 6)
  switch (kind) {
    case 0:
      return `${part()} AND ${part()}`
    case 1:
      return `${part()} OR ${part()}`
    case 2:
      return `NOT ${part()}`
    case 3:
      return `x BETWEEN ${number()} AND ${number()}`
    case 4:
      return `${number()} ${random.pick(['=', '<>', '<', '<=', '>', '>='])} x`
    default:
      return `x ${random.pick(['=', '<>', '<', '<=', '>', '>='])} ${number()}`
  }
}

test('judgeRange() says what the condition gives for every number of a range', () => {
  const [seed] = testSeeds(1)
  const random = new Random(seed)
  for (let round = 0; round < roundsOf(20_000); round += 1) {
    const text = randomCondition(random)
    const type = random.pick(TYPES)
    const checked = checkExpression(text, { variables: [{ name: 'x', type }] })
    const step = type === 'DOUBLE' ? 0.25 : 1
    const least = type === 'BOOLEAN' ? 0 : random.integer(-3, 3)
    const most = least + random.integer(0, 3) * (type === 'BOOLEAN' ? 0 : 1)
    const judged = judgeRange(checked.term)?.(least, most)
    if (judged === undefined) continue
    for (let x = least; x <= most; x += step) {
      const value = type === 'BOOLEAN' ? x === 1 : x
      const result = compileExpression(checked).evaluate([value])
      assert.equal(Number(result), judged, `${text} of ${x} (${type}, seed ${seed})`)
    }
  }
})
