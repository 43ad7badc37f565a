import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as iteration } from 'node:timers/promises'
import { ManualClock } from '../../base/index.ts'
import { HeldLease } from './held-lease.ts'

type Answer = 'kept' | 'taken' | 'away'

/** Keeps a lease of 20 s that is renewed every 5 s, with these answers; returns the number of answers until it was lost. */
async function lostAfter(t: TestContext, answers: readonly Answer[]): Promise<number[]> {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const clock = new ManualClock(0)
  let asked = 0
  const lost: number[] = []
  const lease = { name: 'run', holder: 'me', fence: 1 }
  const acquireLease = async () => {
    const answer = asked === 0 ? 'kept' : answers[asked - 1]
    asked += 1
    if (answer === 'away') throw new Error('the cluster is away')
    return answer === 'kept' ? lease : undefined
  }
  const catalog = { acquireLease, releaseLease: async () => {} }
  const held = new HeldLease({ catalog, clock, name: 'run', holder: 'me', ttlMs: 20_000 })
  assert.equal(await held.renew(), true)
  held.keep(() => lost.push(asked - 1))
  for (const _ of answers) {
    clock.advance(5_000)
    t.mock.timers.tick(5_000)
    await iteration()
  }
  await held.release()
  t.mock.timers.tick(60_000)
  await iteration()
  assert.equal(asked, answers.length + 1, 'nothing is asked after the end')
  t.mock.timers.reset()
  return lost
}

test('a lease outlives a store that is away for a moment, again and again', async (t) => {
  assert.deepEqual(await lostAfter(t, ['away', 'away', 'kept', 'away', 'away', 'kept']), [])
})

test('a lease that others have, or may have by the next time, is reported as lost', async (t) => {
  assert.deepEqual(await lostAfter(t, ['kept', 'taken']), [2])
  assert.deepEqual(await lostAfter(t, ['kept', 'away', 'away', 'away']), [4])
})

test('release() waits for a renewal under way, which would take the lease once more', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const asked: string[] = []
  const renewal = Promise.withResolvers<void>()
  const lease = { name: 'run', holder: 'me', fence: 1 }
  const catalog = {
    acquireLease: async () => {
      asked.push('acquire')
      if (asked.length > 1) await renewal.promise
      return lease
    },
    releaseLease: async () => void asked.push('release'),
  }
  const held = new HeldLease({ catalog, name: 'run', holder: 'me', ttlMs: 20_000 })
  await held.renew()
  held.keep(() => asked.push('lost'))
  t.mock.timers.tick(5_000)
  const releasing = held.release()
  await iteration()
  assert.deepEqual(asked, ['acquire', 'acquire'])
  renewal.resolve()
  await releasing
  assert.deepEqual(asked, ['acquire', 'acquire', 'release'])
})
