import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storeLimitsFor } from './app-settings.ts'

const MB = 1024 * 1024

test('storeLimitsFor() lets more segments wait the more memory there is', () => {
  const f = (memoryMb: number, want: ReturnType<typeof storeLimitsFor>) =>
    assert.deepEqual(storeLimitsFor(memoryMb * MB), want, `${memoryMb} MB`)
  f(400, { backlogMax: 0, segmentBytes: 8 * MB })
  f(1_023, { backlogMax: 1, segmentBytes: 8 * MB })
  f(1_024, { backlogMax: 3 })
  f(2_048, { backlogMax: 3 })
  f(4_096, { backlogMax: 7 })
  f(8_192, { backlogMax: 15 })
  f(262_144, { backlogMax: 15 })
})
