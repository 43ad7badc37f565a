import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resultType } from './result-type.ts'

test('resultType() gives a stream without a type that of its formula', () => {
  assert.deepEqual(resultType('', 'DOUBLE'), { valueType: 'DOUBLE' })
  assert.deepEqual(resultType('', 'LONG'), { valueType: 'DOUBLE' })
  assert.deepEqual(resultType('', 'BIGDECIMAL'), { valueType: 'BIG_DECIMAL' })
  assert.deepEqual(resultType('', 'STRING'), { valueType: 'STRING' })
  assert.deepEqual(resultType('', 'BOOLEAN'), { valueType: 'BOOLEAN' })
  assert.deepEqual(resultType('', 'UNKNOWN'), { valueType: '' })
  assert.deepEqual(resultType('', 'NULL'), { valueType: '' })
})

test('resultType() keeps a declared type that holds what the formula gives', () => {
  assert.deepEqual(resultType('FLOAT', 'LONG'), { valueType: 'FLOAT' })
  assert.deepEqual(resultType('SHORT', 'LONG'), { valueType: 'SHORT' })
  assert.deepEqual(resultType('STRING', 'DOUBLE'), { valueType: 'STRING' })
  assert.deepEqual(resultType('SHORT', 'UNKNOWN'), { valueType: 'SHORT' })
})

test('resultType() reports what to write where a declared type cannot store it', () => {
  assert.match(String(resultType('SHORT', 'DOUBLE')), /SHORT cannot store .* DOUBLE: write CAST/)
  assert.match(String(resultType('DOUBLE', 'BOOLEAN')), /DOUBLE cannot store .* BOOLEAN: write if/)
  assert.match(String(resultType('BOOLEAN', 'LONG')), /BOOLEAN cannot store .* LONG$/)
  assert.match(String(resultType('FILE', 'STRING')), /must not be FILE/)
})
