import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Quotas, readQuotas } from './quota-figures.ts'
import { SettingMistake } from './setting-readers.ts'

const defaults = readQuotas('default')

test('readQuotas() keeps the default of what is not named', () => {
  const check = (text: string, expected: Partial<Quotas>) =>
    assert.deepEqual(readQuotas(text), { ...defaults, ...expected }, text)
  check('components=5', { components: 5 })
  check('components=0', { components: 0 })
  check('streams=off', { streams: undefined })
  check('components=5, streams=7,fileBytes=20GB , catalogBytes=500MB', {
    components: 5,
    streams: 7,
    fileBytes: 20e9,
    catalogBytes: 500e6,
  })
  check('organizations=0', { organizations: 0 })
  check('fileBytes=12345', { fileBytes: 12_345 })
  check('fileBytes=2 KB,catalogBytes=3TB', { fileBytes: 2_000, catalogBytes: 3e12 })
})

test('readQuotas() lifts all of them by off', () => {
  const figures = Object.values(readQuotas('off'))
  assert.deepEqual(figures, Array(5).fill(undefined))
})

test('readQuotas() refuses what it cannot read', () => {
  const wrong = ['none', '', 'components', 'components=', 'components=-1', 'components=5GB']
  wrong.push('fileBytes=5XB', 'files=5', 'components=5;streams=5', 'fileBytes=999999999999999TB')
  wrong.push('fileBytes=1.5GB', 'components=5,,', 'organizations=1KB')
  for (const text of wrong) assert.throws(() => readQuotas(text), SettingMistake, text)
})
