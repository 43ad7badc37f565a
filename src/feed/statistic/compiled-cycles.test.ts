import assert from 'node:assert/strict'
import { test } from 'node:test'
import { epochMs } from '../../base/index.ts'
import type { CycleDefinition } from '../../time/index.ts'
import { compiledCycle } from './compiled-cycles.ts'

const custom = (until: string): CycleDefinition => ({
  sizeType: 'CUSTOM',
  count: 1,
  referenceDate: '',
  timeZone: '',
  intervals: [{ from: '2024-05-01', until }],
})

test('compiledCycle() keeps a CUSTOM cycle until its definition or zone is another', () => {
  const first = compiledCycle(custom('2024-05-20'), 'UTC')
  assert.equal(compiledCycle(custom('2024-05-20'), 'UTC'), first)
  const at = epochMs(Date.UTC(2024, 4, 10))
  const untilOf = (definition: CycleDefinition, zone: string) =>
    compiledCycle(definition, zone).periodOf(at)?.until
  assert.equal(untilOf(custom('2024-05-20'), 'UTC'), Date.UTC(2024, 4, 20))
  assert.equal(untilOf(custom('2024-05-21'), 'UTC'), Date.UTC(2024, 4, 21))
  assert.equal(untilOf(custom('2024-05-20'), 'Asia/Tokyo'), Date.UTC(2024, 4, 19, 15))
  for (let day = 1; day < 29; day++) {
    for (const month of ['06', '07', '08']) {
      compiledCycle(custom(`2024-${month}-${String(day).padStart(2, '0')}`), 'UTC')
    }
  }
  assert.notEqual(compiledCycle(custom('2024-05-20'), 'UTC'), first)
})
