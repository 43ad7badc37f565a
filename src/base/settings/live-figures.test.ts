import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readLiveFigures } from './live-figures.ts'

test('readLiveFigures() reads figures and keeps the defaults of the others', () => {
  const usual = readLiveFigures('default')
  assert.deepEqual(readLiveFigures(' total = 7 , perSecond=2'), {
    ...usual,
    total: 7,
    perSecond: 2,
  })
  assert.equal(readLiveFigures('user=0').user, 0)
})

test('readLiveFigures() refuses what it cannot read', () => {
  for (const text of ['', 'off', 'total', 'total=x', 'total=-1', 'total=1.5', 'none=5']) {
    assert.throws(() => readLiveFigures(text), /must be default, or values/, text)
  }
  for (const text of [
    'perSecond=0',
    'perSecond=51',
    'total=9999999',
    'toString=1',
    'total=1;user=2',
  ])
    assert.throws(() => readLiveFigures(text), /must be default, or values/, text)
})
