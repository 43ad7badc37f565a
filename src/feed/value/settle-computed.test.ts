import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ValueType } from '../../catalog/shape/index.ts'
import { settleComputed, Unsettled } from './settle-computed.ts'

test('settleComputed() makes of a computed value what a stream keeps', () => {
  const f = (type: ValueType, value: number | bigint | string | boolean, kept: number | string) =>
    assert.equal(settleComputed(value, type), kept, `${type} ${value}`)
  f('DOUBLE', 2.5, 2.5)
  f('DOUBLE', 2n ** 60n, 2 ** 60)
  f('DOUBLE', true, 1)
  f('LONG', 7, 7)
  f('INTEGER', false, 0)
  f('BOOLEAN', true, 1)
  f('BOOLEAN', 0, 0)
  f('STRING', 'on', 'on')
  f('STRING', 3, '3')
  f('STRING', false, 'false')
  f('BIG_DECIMAL', '0.10', '0.1')
  f('BIG_DECIMAL', 2n ** 60n, '1152921504606846976')
  f('BIG_DECIMAL', true, '1')
  f('DATETIME', 1_700_000_000_000, 1_700_000_000_000)
  f('', 4, 4)
  f('', 'text', 'text')
})

test('settleComputed() says why a stream cannot keep a value', () => {
  const f = (type: ValueType, value: number | bigint | string | boolean, part: RegExp) => {
    const settled = settleComputed(value, type)
    assert.ok(settled instanceof Unsettled, `${type} ${value}`)
    assert.match(settled.problem, part)
  }
  f('LONG', 2.5, /integer .* but is 2\.5/)
  f('LONG', 2n ** 60n, /1152921504606846976/)
  f('SHORT', 40_000, /32767/)
  f('LATITUDE', 91, /-90 to 90/)
  f('DOUBLE', 'warm', /a number, but is "warm"/)
  f('BOOLEAN', 2, /TRUE, FALSE, 1, or 0, but is 2/)
  f('BOOLEAN', 'true', /TRUE or FALSE/)
  f('BIG_DECIMAL', 'ten', /decimal/)
  f('STRING', 'x'.repeat(1_000_001), /1000001 characters/)
  f('FILE', 'x', /file stream/)
})
