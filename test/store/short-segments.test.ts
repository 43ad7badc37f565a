/** The short segments that a journal begins with wait for the next, or for some seconds. */
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openSampleStore } from '../../src/store/embedded/index.ts'
import { batch, read } from '../contract/sample-store-contract.ts'

const PER_BATCH = 1_000
/** Fills the two segments of 64 KiB and a part of the third. */
const BATCHES = 20
const WAITED_MS = 10_000

type Store = Awaited<ReturnType<typeof openSampleStore>>

async function openIn(context: TestContext, segmentBytes?: number) {
  const folder = mkdtempSync(join(tmpdir(), 'weir-short-'))
  let store = await openSampleStore({ folder, segmentBytes })
  context.after(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })
  const reopen = async () => {
    await store.close()
    store = await openSampleStore({ folder, segmentBytes })
    return store
  }
  const segments = () => readdirSync(join(folder, 'journal')).filter((name) => /seg$/.test(name))
  return { store, reopen, segments }
}

async function fill(store: Store): Promise<void> {
  for (let number = 0; number < BATCHES; number++) {
    const first = number * PER_BATCH
    await store.append(
      batch(Array.from({ length: PER_BATCH }, (_, at) => [1, first + at, at] as const)),
    )
  }
}

async function checkAll(store: Store): Promise<void> {
  assert.equal((await read(store, 1)).length, BATCHES * PER_BATCH)
}

const firstTwo = ['journal-000000000001.seg', 'journal-000000000002.seg']
const isThere = (segments: readonly string[]) => firstTwo.map((name) => segments.includes(name))

test('short first segments wait and can be read, also after a start', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const { store, segments, reopen } = await openIn(context)
  await fill(store)
  context.mock.timers.tick(WAITED_MS - 1)
  assert.deepEqual(isThere(segments()), [true, true])
  assert.equal(store.figures.backlog, 2)
  await checkAll(store)
  const again = await reopen()
  await again.sealAll()
  assert.deepEqual(isThere(segments()), [false, false])
  await checkAll(again)
})

test('they are sealed once they have waited long enough', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const { store, segments } = await openIn(context)
  await fill(store)
  context.mock.timers.tick(WAITED_MS)
  assert.equal(store.figures.backlog, 2)
  await store.sealAll()
  assert.deepEqual(isThere(segments()), [false, false])
  await checkAll(store)
})

test('they are sealed before a longer one that is closed', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const { store, segments } = await openIn(context, 128 * 1024)
  await fill(store)
  while (isThere(segments()).includes(true)) await store.append(batch([[2, 1, 1]]))
  await checkAll(store)
})

test('all that was put is sealed when that is asked for', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const { store, segments } = await openIn(context)
  await fill(store)
  await store.sealAll()
  assert.deepEqual(isThere(segments()), [false, false])
  await checkAll(store)
})
