import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileCycle } from './compile-cycle.ts'
import type { Cycle } from './cycle.ts'
import type { SizeType } from './cycle-definition.ts'
import { isNestedIn } from './nested-cycles.ts'
import { loadZone } from './zone.ts'

function cycle(text: string, zone: string, referenceDate = '2024-01-01T00:00:00'): Cycle {
  const [count, sizeType] = text.split(' ')
  const definition = { sizeType: sizeType as SizeType, count: Number(count), referenceDate }
  return compileCycle({ ...definition, timeZone: '' }, loadZone(zone))
}

test('isNestedIn() is true where each longer period is made of whole shorter ones', () => {
  const check = (inner: string, outer: string, zone: string) => {
    assert.equal(isNestedIn(cycle(inner, zone), cycle(outer, zone)), true, `${inner} in ${outer}`)
  }
  for (const zone of ['UTC', 'Europe/Berlin', 'Asia/Kolkata']) {
    check('15 MINUTE', '1 HOUR', zone)
    check('1 HOUR', '1 HOUR', zone)
    check('1 HOUR', '1 DAY', zone)
    check('1 DAY', '1 DAY', zone)
    check('1 DAY', '1 MONTH', zone)
    check('1 MONTH', '1 YEAR', zone)
    check('3 MONTH', '1 YEAR', zone)
    check('1 SECOND', '1 MONTH', zone)
  }
})

test('isNestedIn() is false where a longer period begins or ends inside a shorter one', () => {
  const check = (inner: Cycle, outer: Cycle) => assert.equal(isNestedIn(inner, outer), false)
  check(cycle('1 DAY', 'UTC'), cycle('1 HOUR', 'UTC'))
  check(cycle('7 MINUTE', 'UTC'), cycle('1 HOUR', 'UTC'))
  check(cycle('1 WEEK', 'UTC'), cycle('1 MONTH', 'UTC'))
  check(cycle('1 MONTH', 'UTC'), cycle('1 DAY', 'UTC'))
  check(cycle('1 HOUR', 'UTC'), cycle('1 DAY', 'Asia/Kolkata'))
  check(cycle('1 DAY', 'UTC'), cycle('1 DAY', 'Europe/Berlin'))
  check(cycle('1 DAY', 'UTC'), cycle('1 MONTH', 'Europe/Berlin'))
  check(cycle('1 HOUR', 'UTC'), cycle('1 HOUR', 'UTC', '2024-01-01T00:30:00'))
  // Six hours count on through a change of clocks, the day does not.
  check(cycle('6 HOUR', 'Europe/Berlin'), cycle('1 DAY', 'Europe/Berlin'))
})
