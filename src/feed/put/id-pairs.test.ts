import assert from 'node:assert/strict'
import { test } from 'node:test'
import { IdPairs } from './id-pairs.ts'

test('take() gives pairs of IDs numbers in their order, and each pair one', () => {
  const pairs = new IdPairs()
  assert.equal(pairs.take('a', 'bc'), 0)
  assert.equal(pairs.take('ab', 'c'), 1)
  assert.equal(pairs.take('a', 'bc'), 0)
  assert.equal(pairs.take('', 'abc'), 2)
  assert.equal(pairs.size, 3)
})

test('take() knows pairs again however many there are', () => {
  const pairs = new IdPairs()
  const numberOf = (at: number) =>
    pairs.take(`device-${at % 700}`, `s${Math.floor(at / 700)}\u{1F600}`)
  for (let at = 0; at < 20_000; at++) assert.equal(numberOf(at), at)
  for (let at = 0; at < 20_000; at++) assert.equal(numberOf(at), at)
  assert.equal(pairs.size, 20_000)
})
