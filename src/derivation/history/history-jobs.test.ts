import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as iteration } from 'node:timers/promises'
import { HistoryJobs } from './history-jobs.ts'

const EVERY_MS = 30_000

test('jobs of processes that have gone are looked for again and again, also after a look that failed', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let looks = 0
  const failures: unknown[] = []
  const findRunning = async () => {
    looks += 1
    if (looks === 2) throw new Error('the cluster is away')
    return []
  }
  // A look that finds nothing needs no more of what jobs work with.
  const deps = {
    book: { findRunning },
    isShared: true,
    onFailure: (e: unknown) => failures.push(e),
  }
  const jobs = new HistoryJobs(deps as unknown as ConstructorParameters<typeof HistoryJobs>[0])
  await jobs.resume()
  for (const expected of [2, 3, 4]) {
    t.mock.timers.tick(EVERY_MS)
    await iteration()
    assert.equal(looks, expected)
  }
  assert.match(String(failures), /the cluster is away/)
  assert.equal(failures.length, 1)
  await jobs.close()
  t.mock.timers.tick(EVERY_MS)
  await iteration()
  assert.equal(looks, 4)
})
