import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseWhole, readFlag, readLoosePairs, readQueryPairs, readSingle } from './query-pairs.ts'

test('readQueryPairs() keeps the order, decodes names and values, and passes over empty pairs', () => {
  assert.deepEqual(readQueryPairs('&a+b=%C3%BC&&c&=d&e=1=2'), [
    ['a b', 'ü'],
    ['c', ''],
    ['', 'd'],
    ['e', '1=2'],
  ])
  assert.deepEqual(readQueryPairs(''), [])
  assert.throws(() => readQueryPairs('a=50%'), { code: 'bad_input' })
})

test('readLoosePairs() leaves what cannot be decoded as it is', () => {
  assert.deepEqual(readLoosePairs('a=50%&b=%20'), [
    ['a', '50%'],
    ['b', ' '],
  ])
})

test('readSingle() refuses a parameter that is given twice; readFlag() takes it as set', () => {
  const pairs = readQueryPairs('a=1&b&a=2&c=0&d=false')
  assert.throws(() => readSingle(pairs, 'a'), { message: 'Parameter "a" is given twice' })
  assert.equal(readSingle(pairs, 'b'), '')
  assert.equal(readSingle(pairs, 'x'), undefined)
  const flags = ['a', 'b', 'c', 'd', 'x'].map((name) => readFlag(pairs, name))
  assert.deepEqual(flags, [true, true, false, false, false])
})

test('parseWhole() takes whole numbers however they are written', () => {
  const check = (text: string, expected: number | undefined) =>
    assert.equal(parseWhole(text), expected, text)
  check('1.7e12', 1_700_000_000_000)
  check(' -5 ', -5)
  check('-0', 0)
  check('1.5', undefined)
  check('0x5', undefined)
  check('', undefined)
  check('9007199254740993', undefined)
})
