import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expressionTypeOf } from '../../../src/catalog/shape/expression-type.ts'
import { VALUE_TYPES } from '../../../src/catalog/shape/value-type.ts'
import { expressionFunctions } from '../../../src/expression/index.ts'
import { ownerOfFile, serviceOfFile } from '../../support/service-of-file.ts'

const service = serviceOfFile()
const owner = ownerOfFile(service)

const variables = [
  { name: 'Flow', valueType: 'DOUBLE' },
  { name: 'count', valueType: 'INTEGER' },
  { name: 'state', valueType: 'STRING' },
  { name: 'later' },
]

async function check(expression: string) {
  const answer = await owner('POST', '/api/expression/check', { expression, variables })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.expression
}

test('a valid expression returns its type, variables, and usual spelling', async () => {
  const reply = await check('(FLOW*count)  ||"on"')
  assert.deepEqual(reply, {
    isValid: true,
    type: 'STRING',
    used: ['Flow', 'count'],
    text: "(FLOW * count) || 'on'",
    error: null,
    warnings: [],
  })
  const { isValid, warnings } = await check("if(state = 1, 'a', 'b')")
  assert.equal(isValid, true)
  assert.equal(warnings.length, 1)
  assert.match(warnings[0].message, /a text are never equal/)
  assert.equal(warnings[0].column, 12)
})

test('an error in an expression is returned with its place, and the call succeeds', async () => {
  const reply = await check('Flow +\n  sqroot(count)')
  assert.equal(reply.isValid, false)
  assert.deepEqual(reply.error, {
    message: 'Unknown function "sqroot": did you mean sqrt?',
    line: 2,
    column: 3,
    length: 6,
    pointer: '  sqroot(count)\n  ^^^^^^',
  })
  const types = await check('state - 1')
  assert.match(types.error.message, /Expected a number, got a text/)
  for (const hostile of ['('.repeat(1_000), 'x'.repeat(100_000), '\0', "'", 'a + '.repeat(2_000)]) {
    const refused = await check(hostile)
    assert.equal(refused.isValid, false)
    assert.ok(refused.error.message.length > 10 && refused.error.line === 1)
  }
})

test('what is no check is a 400 that names the field', async () => {
  const refuses = async (body: object, what: RegExp) => {
    const answer = await owner('POST', '/api/expression/check', body)
    assert.equal(answer.status, 400, answer.text)
    assert.match(answer.body.message, what)
  }
  await refuses({}, /expression/)
  await refuses({ expression: 5 }, /expression/)
  await refuses({ expression: '1', variables: [{ name: 'a', valueType: 'TEXT' }] }, /valueType/)
  await refuses({ expression: '1', timeZoneId: 'Mars/Base' }, /timeZoneId/)
  const many = Array.from({ length: 1_001 }, (_, index) => ({ name: `v${index}` }))
  await refuses({ expression: '1', variables: many }, /variables/)
})

test('functions are listed for completion', async () => {
  const { body } = await owner('GET', '/api/expression/function')
  assert.equal(body.totalCount, expressionFunctions.length)
  const [first] = body.function.filter(({ name }: { name: string }) => name === 'substr')
  assert.equal(first.signature, 'substr(text, start, [length])')
})

test('expressionTypeOf() has a type for the values of every stream', () => {
  for (const valueType of VALUE_TYPES) assert.ok(expressionTypeOf(valueType).length > 3, valueType)
  assert.equal(expressionTypeOf('BIG_DECIMAL'), 'BIGDECIMAL')
})
