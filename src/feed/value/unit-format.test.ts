import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatValue, type UnitFormat } from './unit-format.ts'

const unit = (more: Partial<UnitFormat>): UnitFormat => ({
  symbol: '',
  symbolLocation: 'AFTER',
  numberFormat: '',
  booleanStyle: 'TRUE_FALSE',
  ...more,
})

test('formatValue() glues number and symbol as the unit says', () => {
  const check = (value: number | string, more: Partial<UnitFormat>, expected: string) =>
    assert.equal(formatValue(value, { isBoolean: false, unit: unit(more) }), expected)
  check(12.5, { symbol: '$', symbolLocation: 'BEFORE', numberFormat: '0.00' }, '$12.50')
  check(20, { symbol: 'C', numberFormat: '0.00' }, '20.00C')
  check(3, { symbol: ' lbs', numberFormat: '0.00' }, '3.00 lbs')
  check(1_234_567.891, { numberFormat: '0,000.00' }, '1,234,567.89')
  check(-1_234.5, { numberFormat: '0,000' }, '-1,235')
  check(999, { numberFormat: '#,##0' }, '999')
  check(-0.001, { numberFormat: '0.00' }, '0.00')
  check(-1e22, { symbol: 'x', numberFormat: '#,##0.00' }, '-10,000,000,000,000,000,000,000.00x')
  check(1e21, { numberFormat: '0' }, '1000000000000000000000')
  check(1e22, { symbol: 'x' }, '1e+22x')
  check(Number.NEGATIVE_INFINITY, { numberFormat: '0.00' }, '-Infinity')
  check(0.1, { symbol: 'x' }, '0.1x')
  check('open', { symbol: '!' }, 'open!')
})

test('formatValue() formats the text of a decimal number without losing a digit', () => {
  const check = (value: string, numberFormat: string, expected: string) => {
    const options = { isBoolean: false, isDecimal: true, unit: unit({ numberFormat }) }
    assert.equal(formatValue(value, options), expected, `${value} as ${numberFormat}`)
  }
  check('123456789012345678.125', '0,000.00', '123,456,789,012,345,678.13')
  check('-123456789012345678.124', '0.00', '-123456789012345678.12')
  check('-0.004', '0.00', '0.00')
  check('0.996', '0.00', '1.00')
  check('0.05', '0.0', '0.1')
  check('9.5', '0', '10')
  check('7', '0.000', '7.000')
  check('1000', '0,000', '1,000')
  check(`${'1'.repeat(999)}.5`, '0,000', `${'111,'.repeat(332)}112`)
  check('1.25', '', '1.25')
})

test('formatValue() writes booleans in the style of the unit', () => {
  const check = (style: UnitFormat['booleanStyle'], expected: string) => {
    const options = { isBoolean: true, unit: unit({ booleanStyle: style }) }
    assert.equal(`${formatValue(1, options)} ${formatValue(0, options)}`, expected)
  }
  check('TRUE_FALSE', 'true false')
  check('ONE_ZERO', '1 0')
  check('ON_OFF', 'On Off')
  check('YES_NO', 'Yes No')
  check('CLOSE_OPEN', 'Close Open')
  check('OPEN_CLOSE', 'Open Close')
  check('HIGH_LOW', 'High Low')
  check('LOW_HIGH', 'Low High')
})

test('formatValue() gives the plain value when there is no unit', () => {
  const options = { isBoolean: false, unit: undefined }
  assert.equal(formatValue(1.25, options), '1.25')
  assert.equal(formatValue('x', options), 'x')
  assert.equal(formatValue(1, { isBoolean: true, unit: undefined }), 'true')
})
