import assert from 'node:assert/strict'
import { test } from 'node:test'
import { epochMs } from '../../base/index.ts'
import type { StreamHandle } from '../../store/index.ts'
import { addDue, dueOf, GAP_DUE, LAST_DUE } from './live-due.ts'
import { LiveHistory } from './live-history.ts'

const stream = (handle: number) => handle as StreamHandle
const touch = (from: number, sent: number) =>
  dueOf({ from: epochMs(from), until: epochMs(from + 1) }, sent, undefined)

test('LiveHistory.owedSince() returns the changes after a round, of the requested streams', () => {
  const history = new LiveHistory(10)
  history.add(1, stream(1), touch(5, 4))
  history.add(2, stream(1), touch(6, 5))
  history.add(2, stream(2), touch(9, 8))
  history.add(3, stream(1), touch(2, 6))
  const all = new Set([stream(1), stream(2)])
  assert.deepEqual(
    [...(history.owedSince(1, all) ?? [])].map(([handle, { sent, changed }]) => [
      handle,
      sent,
      changed?.from,
    ]),
    [
      [1, 5, 2],
      [2, 8, undefined],
    ],
  )
  assert.deepEqual(history.owedSince(3, all), new Map())
  assert.equal(history.owedSince(0, new Set([stream(2)]))?.size, 1)
})

test('LiveHistory.owedSince() knows when it has forgotten', () => {
  const history = new LiveHistory(3)
  for (let round = 1; round <= 5; round += 1) history.add(round, stream(1), touch(round, round - 1))
  const one = new Set([stream(1)])
  assert.equal(history.owedSince(1, one), undefined)
  assert.equal(history.owedSince(2, one)?.get(stream(1))?.sent, 2)
})

test('addDue() keeps what was owed first, and widens what changed', () => {
  assert.equal(addDue(undefined, LAST_DUE), LAST_DUE)
  assert.deepEqual(addDue(touch(5, 4), touch(3, 5)), {
    sent: 4,
    changed: { from: 3, until: 4 },
    isGap: false,
    last: undefined,
    isOne: false,
  })
  assert.deepEqual(addDue(touch(3, 4), touch(2, 4)).changed, { from: 2, until: 4 })
  assert.equal(addDue(GAP_DUE, touch(9, 8)).isGap, true)
  assert.equal(addDue(LAST_DUE, touch(9, 8)).sent, undefined)
})
