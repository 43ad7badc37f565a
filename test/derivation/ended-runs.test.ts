import assert from 'node:assert/strict'
import { test } from 'node:test'
import { epochMs, KeyedMutex, TIME_END } from '../../src/base/index.ts'
import { derivePending } from '../../src/derivation/background/derive-pending.ts'
import { PendingUpdates } from '../../src/derivation/background/pending-updates.ts'
import { type DerivationPlan, isProblem } from '../../src/derivation/derivation-plan.ts'
import { deriveAgain } from '../../src/derivation/derive-stream.ts'
import { historyWork } from '../../src/derivation/history/derive-history.ts'
import type { StreamHandle } from '../../src/store/index.ts'
import { type DerivationHome, derivationHome, ORG, owner } from '../support/derivation-home.ts'
import { batch } from '../support/samples.ts'

const FAILING = 40_000

async function makeHome(t: Parameters<typeof derivationHome>[0], trigger: 'ALL' | 'ANY') {
  const home = await derivationHome(t)
  const variables = [{ name: 'a', streamId: 'a' }]
  await home.add('c', [
    { id: 'a', valueType: 'DOUBLE' },
    { id: 'd', derivation: { expression: 'ln(a)', variables, trigger } },
  ])
  // What is derived here is derived by the test alone.
  await home.derivation.worker.close()
  return home
}

async function planOf(home: DerivationHome): Promise<DerivationPlan> {
  const plan = await home.derivation.graph.planOf(home.handleOf('c', 'd'))
  assert.ok(!isProblem(plan))
  return plan
}

const depsOf = ({ feed, samples, derivation, catalog }: DerivationHome) => ({
  feed,
  store: samples,
  status: derivation.status,
  graph: derivation.graph,
  catalog,
  mutex: new KeyedMutex<StreamHandle>(),
})

for (const trigger of ['ALL', 'ANY'] as const) {
  test(`a run that is ended while all of it fails goes on from there (${trigger})`, async (t) => {
    const home = await makeHome(t, trigger)
    const handle = home.handleOf('c', 'a')
    const rows = Array.from({ length: FAILING + 3 }, (_, at) => {
      return [handle, 1_000 + at, at < FAILING ? 0 : 1] as const
    })
    await home.feed.append(batch(rows), ORG)
    const plan = await planOf(home)
    const dues = new PendingUpdates()
    dues.add({ handle, from: epochMs(1_000), until: epochMs(1_000 + rows.length) })
    const control = { onBlock: () => false, touchedSince: async () => [] }
    let runs = 0
    while (!(await derivePending(depsOf(home), plan, dues, control)).isThrough) {
      runs += 1
      assert.ok(runs < 100, 'it begins from the start, again and again')
    }
    assert.equal((await home.read('d')).length, 3)
    const { errorCount } = await home.derivation.status.read(plan.handle)
    assert.equal(errorCount, FAILING)
  })
}

test('a job over history whose stream is deleted under it says so', async (t) => {
  const home = await makeHome(t, 'ALL')
  await home.put(['a', 1_000, 1])
  const { index, streams } = home.catalog
  const handle = home.handleOf('c', 'd')
  await streams.delete(owner, index.componentOf(handle).uid, index.streamUid(handle))
  await assert.rejects(historyWork(depsOf(home)).check(handle), /The stream was deleted/)
})

test('a job over history ends when the formula is changed under it', async (t) => {
  const home = await makeHome(t, 'ALL')
  await home.put(...Array.from({ length: 10 }, (_, at) => ['a', at + 1, 1] as const))
  const { handle, uid, componentUid } = await planOf(home)
  const job = { from: 0, until: TIME_END, at: 0 } as never
  const variables = [{ name: 'a', streamId: 'a' }]
  let reports = 0
  const report = async () => {
    reports += 1
    if (reports > 1) return true
    await home.catalog.streams.update(
      owner,
      { componentUid, uid },
      {
        derivation: { expression: 'a * 2', variables },
      },
    )
    return true
  }
  const run = historyWork(depsOf(home)).run(handle, job, { isOver: false, report, keep: report })
  await assert.rejects(run, /formula was changed/)
})

test('nothing derived is stored in a stream that was made a plain one', async (t) => {
  const home = await makeHome(t, 'ALL')
  await home.put(['a', 1, 1])
  const plan = await planOf(home)
  const { componentUid, uid } = plan
  await home.catalog.streams.update(owner, { componentUid, uid }, { streamDerivationType: 'NONE' })
  const run = deriveAgain(depsOf(home), plan, { from: 0, until: 10 })
  await assert.rejects(run, /no longer derived/)
})

test('a run over gaps of which a formula makes values is ended and goes on, over a restart too', async (t) => {
  const home = await derivationHome(t)
  const second = { streamType: 'intvl_stream', baseCycle: 'second' } as const
  const variables = [{ name: 'a', streamId: 'a' }]
  await home.add('c', [
    { id: 'a', valueType: 'DOUBLE', ...second },
    { id: 'd', ...second, derivation: { expression: 'ifNull(a, 0)', variables } },
  ])
  await home.derivation.worker.close()
  const seconds = 60_000
  await home.put(['a', 1_000, 1], ['a', 1_000 + seconds * 1_000, 2])
  const handle = home.handleOf('c', 'a')
  const runBlock = async () => {
    const dues = new PendingUpdates()
    dues.add({ handle, from: epochMs(1_000), until: TIME_END })
    const control = { onBlock: () => false, touchedSince: async () => [] }
    return (await derivePending(depsOf(home), await planOf(home), dues, control)).isThrough
  }
  assert.equal(await runBlock(), false)
  const some = (await home.read('d')).length
  assert.ok(some > 0 && some < seconds, `${some}`)
  await home.restart(true)
  await home.derivation.worker.close()
  let runs = 1
  while (!(await runBlock())) {
    runs += 1
    assert.ok(runs < 100, 'it begins from the start, again and again')
  }
  const kept = await home.read('d')
  assert.equal(kept.length, seconds + 1)
  assert.deepEqual([kept[0][1], kept[1][1], kept[seconds][1]], [1, 0, 2])
})
