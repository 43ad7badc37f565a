/** Cancelling a job that works: it ends where it is, what it derived stays, and nothing runs on. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SampleBatch } from '../../src/store/index.ts'
import { derivationHome, ORG, owner } from '../support/derivation-home.ts'
import { batch } from '../support/samples.ts'
import { settlesTo } from '../support/settle.ts'

const SAMPLES = 200_000

test('a job that works is cancelled between two blocks, and what is derived stays', async (t) => {
  const gate = Promise.withResolvers<void>()
  const inside = Promise.withResolvers<void>()
  let [result, blocks] = [0, 0]
  t.after(() => gate.resolve())
  const home = await derivationHome(t, {
    beforeAppend: async ({ handles }: SampleBatch) => {
      if (handles[0] !== result) return
      blocks += 1
      if (blocks !== 3) return
      inside.resolve()
      await gate.promise
    },
  })
  await home.add('c', [{ id: 'a', valueType: 'DOUBLE' }])
  const input = home.handleOf('c', 'a')
  const rows = Array.from({ length: SAMPLES }, (_, at) => [input, at, at] as const)
  await home.feed.append(batch(rows), ORG)
  const { uid: componentUid } = home.catalog.index.componentOf(home.handleOf('c', 'a'))
  const variables = [{ name: 'a', streamId: 'a' }]
  const { uid } = await home.catalog.streams.insert(owner, componentUid, {
    id: 'd',
    derivation: { expression: 'a * 2', variables },
  })
  result = home.handleOf('c', 'd')
  const { jobs, locks, worker } = home.derivation
  const begun = await jobs.start(owner, { componentUid, uid }, {})
  await inside.promise
  const reply = await jobs.get(owner, begun.uid)
  assert.equal(reply.status, 'RUNNING')
  assert.equal(reply.total, SAMPLES)
  assert.ok(reply.done > 0 && reply.done < reply.total, `${reply.done} of ${reply.total}`)
  // A process that was killed goes on from there: nothing of it may be still on its way.
  const stored = (await home.read('d')).length
  assert.ok(reply.done <= stored, `${reply.done} told, ${stored} stored`)
  const cancelling = jobs.cancel(owner, begun.uid)
  gate.resolve()
  const gone = await cancelling
  assert.equal(gone.status, 'CANCELLED')
  assert.ok(gone.end !== null)
  assert.ok(gone.done >= reply.done && gone.done < gone.total, `${gone.done} of ${gone.total}`)
  const kept = await home.read('d')
  assert.deepEqual(
    kept,
    Array.from({ length: gone.done }, (_, at) => [at, 2 * at]),
  )
  // A run that wanted to continue had its chance once other runs have worked here.
  const blocksThen = blocks
  assert.equal(jobs.unfinishedCount, 0)
  assert.equal(await locks.lock(componentUid), true)
  await locks.unlock(componentUid)
  await worker.settle()
  assert.equal(blocks, blocksThen)
  assert.equal((await home.read('d')).length, kept.length)
  assert.deepEqual(await jobs.cancel(owner, begun.uid), gone)
  const again = await jobs.start(owner, { componentUid, uid }, { from: kept.length })
  await settlesTo(() => jobs.unfinishedCount, 0)
  assert.equal((await jobs.get(owner, again.uid)).status, 'DONE')
  assert.equal((await home.read('d')).length, SAMPLES)
})
