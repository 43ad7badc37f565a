import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { ManualClock } from '../../base/index.ts'
import { keepLease } from './keep-lease.ts'

type Answer = 'kept' | 'taken' | 'away'

/** Keeps a lease of 20 s that is renewed every 5 s, with these answers; tells after which of them it was lost. */
async function lostAfter(t: TestContext, answers: readonly Answer[]): Promise<number[]> {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const clock = new ManualClock(0)
  let asked = 0
  const lost: number[] = []
  const stop = keepLease({
    leaseMs: 20_000,
    everyMs: 5_000,
    clock,
    renew: async () => {
      const answer = answers[asked++]
      if (answer === 'away') throw new Error('the cluster is away')
      return answer === 'kept'
    },
    onLost: () => lost.push(asked),
  })
  for (const _ of answers) {
    clock.advance(5_000)
    t.mock.timers.tick(5_000)
    await turn()
  }
  stop()
  t.mock.timers.tick(60_000)
  assert.equal(asked, answers.length, 'nothing is asked after the end')
  t.mock.timers.reset()
  return lost
}

test('a lease outlives a store that is away for a moment, again and again', async (t) => {
  assert.deepEqual(await lostAfter(t, ['away', 'away', 'kept', 'away', 'away', 'kept']), [])
})

test('a lease that others have, or may have by the next time, is told as lost', async (t) => {
  assert.deepEqual(await lostAfter(t, ['kept', 'taken']), [2])
  assert.deepEqual(await lostAfter(t, ['kept', 'away', 'away', 'away']), [4])
})
