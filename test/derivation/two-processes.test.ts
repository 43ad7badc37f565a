/** Processes that share a catalog keep out of each other's way, and one takes over what another leaves. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { ManualClock } from '../../src/base/index.ts'
import type { StreamInput } from '../../src/catalog/shape/index.ts'
import { ComponentLocks } from '../../src/derivation/component-locks.ts'
import { openCatalogStore } from '../../src/store/embedded/index.ts'
import type { SampleBatch } from '../../src/store/index.ts'
import { derivationHome, ORG, owner } from '../support/derivation-home.ts'
import { batch } from '../support/samples.ts'
import { eventually } from '../support/settle.ts'

/** Longer than what is heard of another process counts. */
const HEARD_MS = 1_000
/** Longer than a lease lasts. */
const LEASE_MS = 61_000
const SAMPLES = 120_000

const source = (id: string): StreamInput => ({ id, valueType: 'DOUBLE' })

const derived = (id: string, expression: string, streamId: string): StreamInput => ({
  id,
  streamDerivationType: 'FROM_EXPRESSION',
  derivation: { expression, variables: [{ name: 'v', streamId }] },
})

/** Waits until something is over, and does something else before every look. */
async function until(isOver: () => boolean, meanwhile = () => {}): Promise<void> {
  await eventually(() => {
    if (!isOver()) meanwhile()
    assert.ok(isOver())
  })
}

test('a lock is seen through another handle of the catalog, which is asked once in a while', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-locks-'))
  const clock = new ManualClock(1_700_000_000_000)
  const [here, there] = [
    await openCatalogStore({ folder, clock }),
    await openCatalogStore({ folder, clock }),
  ]
  t.after(async () => {
    await here.close()
    await there.close()
    rmSync(folder, { recursive: true, force: true })
  })
  let asked = 0
  const counted = {
    acquireLease: here.acquireLease.bind(here),
    releaseLease: here.releaseLease.bind(here),
    holderOf: (name: string, ttlMs: number) => {
      asked += 1
      return here.holderOf(name, ttlMs)
    },
  }
  const own = new ComponentLocks({ catalog: counted, clock, holder: 'here' })
  const other = new ComponentLocks({ catalog: there, clock, holder: 'there' })
  assert.equal(await other.lock('c'), true)
  const answers = await Promise.all(Array.from({ length: 50 }, () => own.isLocked('c')))
  assert.ok(answers.every((isLocked) => isLocked))
  assert.equal(asked, 1)
  assert.equal(await own.lock('c'), false)
  await other.unlock('c')
  clock.advance(HEARD_MS)
  assert.equal(await own.isLocked('c'), false)
  assert.equal(asked, 2)
  assert.equal(await own.lock('c'), true)
  assert.equal(await own.isLocked('c'), true)
  clock.advance(HEARD_MS)
  assert.equal(await other.isLocked('c'), true)
  assert.equal(asked, 2, 'what is held here is known here')
  // Who died holding a component keeps it no longer than its lease lasts.
  clock.advance(LEASE_MS)
  assert.equal(await other.isLocked('c'), false)
})

test('what another process holds is derived neither within a put nor in the background until it is free', async (t) => {
  const clock = new ManualClock(1_700_000_000_000)
  const home = await derivationHome(t, { clock })
  await home.add('c', [source('a'), derived('d', 'v + 1', 'a'), derived('e', 'v * 2', 'd')])
  const { uid } = home.catalog.index.componentOf(home.handleOf('c', 'a'))
  const other = home.another('another process')
  assert.equal(await other.locks.lock(uid), true)
  await home.putAndDerive('c', ['a', 10, 1])
  assert.deepEqual(await home.read('d'), [])
  await home.derivation.worker.settle()
  assert.deepEqual(await home.read('d'), [])
  assert.equal(home.derivation.worker.waitingCount, 1)
  await other.locks.unlock(uid)
  clock.advance(HEARD_MS)
  await home.derivation.worker.settle()
  assert.deepEqual(await home.read('e'), [[10, 4]])
  await home.putAndDerive('c', ['a', 20, 2])
  assert.deepEqual(await home.read('e'), [
    [10, 4],
    [20, 6],
  ])
})

test('one of two workers derives, and the other takes over when it dies', async (t) => {
  const clock = new ManualClock(1_700_000_000_000)
  const home = await derivationHome(t, { clock })
  await home.add('c', [source('a'), derived('d', 'v + 1', 'a')])
  // These work only when they are called.
  await home.derivation.worker.close()
  const [first, second] = [home.another('first').worker, home.another('second').worker]
  await home.put(['a', 10, 1])
  await first.settle()
  await home.put(['a', 20, 2])
  await second.settle()
  assert.deepEqual(await home.read('d'), [[10, 2]], 'the first has the lease')
  // From here on the first is not heard of any more.
  clock.advance(LEASE_MS)
  await second.settle()
  const both = [
    [10, 2],
    [20, 3],
  ]
  assert.deepEqual(await home.read('d'), both)
  await home.put(['a', 30, 3])
  await first.settle()
  assert.deepEqual(await home.read('d'), both, 'it has lost the lease')
  await second.close()
  await first.settle()
  assert.deepEqual(await home.read('d'), [...both, [30, 4]], 'who ends in peace lets the lease go')
})

/** A job over history that hangs in its second block until the gate is opened. */
async function hangingJob(t: TestContext) {
  const clock = new ManualClock(1_700_000_000_000)
  const gate = Promise.withResolvers<void>()
  const stuck = Promise.withResolvers<void>()
  let blocks = 0
  const beforeAppend = async ({ handles }: SampleBatch) => {
    if (handles[0] !== result) return
    blocks += 1
    if (blocks !== 2) return
    stuck.resolve()
    await gate.promise
  }
  let result = 0
  // Whatever becomes of the test, the one that hangs must not keep the home open.
  t.after(() => gate.resolve())
  const home = await derivationHome(t, { clock, beforeAppend })
  await home.add('c', [source('a')])
  const input = home.handleOf('c', 'a')
  const rows = Array.from({ length: SAMPLES }, (_, at) => [input, at, at] as const)
  await home.feed.append(batch(rows), ORG)
  const { uid: componentUid } = home.catalog.index.componentOf(home.handleOf('c', 'a'))
  const { uid } = await home.catalog.streams.insert(owner, componentUid, derived('d', 'v + 1', 'a'))
  result = home.handleOf('c', 'd')
  const job = await home.derivation.jobs.start(owner, { componentUid, uid }, {})
  await stuck.promise
  return { clock, gate, home, job, rows, other: home.another('another process').jobs }
}

test('a job is cancelled through another process than the one that works on it', async (t) => {
  const { clock, gate, home, job, other } = await hangingJob(t)
  const cancelled = await other.cancel(owner, job.uid)
  assert.equal(cancelled.status, 'CANCELLED')
  assert.ok(cancelled.end !== null)
  clock.advance(LEASE_MS / 2)
  gate.resolve()
  await until(() => home.derivation.jobs.unfinishedCount === 0)
  assert.equal((await home.derivation.jobs.get(owner, job.uid)).status, 'CANCELLED')
  assert.equal((await other.get(owner, job.uid)).status, 'CANCELLED')
  const { length } = await home.read('d')
  assert.ok(length > 0 && length < SAMPLES, `${length} results`)
  assert.deepEqual(await other.cancel(owner, job.uid), await other.get(owner, job.uid))
})

test('a job whose process died is ended by another that starts, once', async (t) => {
  const { clock, gate, home, job, rows, other } = await hangingJob(t)
  await other.resume()
  assert.equal(other.unfinishedCount, 1)
  // The first may have kept its component once more on its way into the wait.
  await until(
    () => other.unfinishedCount === 0,
    () => clock.advance(LEASE_MS),
  )
  assert.equal((await other.get(owner, job.uid)).status, 'DONE')
  const expected = rows.map(([, time, value]) => [time, value + 1])
  assert.deepEqual(await home.read('d'), expected)
  gate.resolve()
  await until(() => home.derivation.jobs.unfinishedCount === 0)
  assert.deepEqual(await home.read('d'), expected)
  assert.equal((await other.get(owner, job.uid)).status, 'DONE')
})
