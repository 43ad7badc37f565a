import assert from 'node:assert/strict'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { epochMs } from '../../src/base/index.ts'
import {
  BackupHolds,
  checkFolder,
  markFolder,
  openBlobStore,
  openCatalogStore,
  openSampleStore,
  restoreBackup,
  writeBackup,
} from '../../src/store/embedded/index.ts'
import type { BlobStore, CatalogStore, SampleStore, StreamHandle } from '../../src/store/index.ts'
import { createOf } from '../contract/catalog-components.ts'
import { Random, roundsBy, testSeeds } from '../support/random.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** Short segments: seals come one after the other. Long ones: much else happens between two of them. */
const SHORT_SEGMENT_BYTES = 64 * 1024
const LONG_SEGMENT_BYTES = 1024 * 1024
const WORKLOADS = 4
const KEPT_STEPS = 40
/** Of each form one; nightly two. */
const BACKUPS = roundsBy({ everyRun: 3, nightly: 6 })
const STEPS_BETWEEN = 15

interface Parts {
  readonly catalog: CatalogStore
  readonly samples: SampleStore
  readonly bodies: BlobStore
}

/**
 * A workload changes its own streams step by step, so that its state after each step is known. Its first
 * two streams have a sample for each of the last steps. The third names a file for each of the last few.
 */
class Workload {
  readonly #parts: Parts
  readonly #name: string
  readonly #keys = new Map<number, string>()
  #awaited: { step: number; resolve(): void } | undefined
  handles: StreamHandle[] = []
  done = 0

  constructor(parts: Parts, name: string) {
    this.#parts = parts
    this.#name = name
  }

  /** Resolves once this number of steps is done. For one waiter. */
  reach(step: number): Promise<void> | undefined {
    if (this.done >= step) return undefined
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#awaited = { step, resolve }
    return promise
  }

  async begin(): Promise<void> {
    for (let at = 0; at < 3; at += 1) this.handles.push(await this.#makeStream(`s${at}`))
  }

  async #makeStream(id: string): Promise<StreamHandle> {
    const write = createOf([[`${this.#name}-${id}`, [id]]])
    const { firstHandles } = await this.#parts.catalog.commit([write])
    assert.ok(firstHandles[0] > 0)
    return firstHandles[0]
  }

  /** One step: everything that it does is done together, or one after the other before it counts. */
  async step(random: Random): Promise<void> {
    const step = this.done + 1
    const [first, second, files] = this.handles
    const { samples, bodies } = this.#parts
    const { key } = await bodies.put(
      (async function* () {
        yield Buffer.from(`body ${step}`)
      })(),
      { bytesMax: 100 },
    )
    const old = step - KEPT_STEPS
    const removals = this.handles.map((handle) => ({
      handle,
      from: epochMs(0),
      until: epochMs(Math.max(1, old)),
    }))
    await samples.append({
      count: 3,
      handles: Uint32Array.of(first, second, files),
      removals,
      times: Float64Array.of(step, step, step),
      numbers: Float64Array.of(step, step, 0),
      texts: [undefined, undefined, key],
    })
    this.#keys.set(step, key)
    const gone = this.#keys.get(old - 1)
    if (gone !== undefined) await bodies.delete(gone)
    // Streams that come on the way, with samples at once, and fill the journal.
    if (step % 2 === 0) {
      const handle = await this.#makeStream(`more${step}`)
      const count = random.integer(1, 2_000)
      await samples.append({
        count,
        handles: new Uint32Array(count).fill(handle),
        removals: [],
        times: Float64Array.from({ length: count }, (_, at) => at),
        numbers: Float64Array.from({ length: count }, () => random.next()),
      })
    }
    this.done = step
    if (this.#awaited?.step === step) this.#awaited.resolve()
  }
}

async function readAll(samples: SampleStore, handle: StreamHandle) {
  const query = {
    from: epochMs(0),
    until: epochMs(1e9),
    limit: 1e6,
    order: 'oldest_first',
  } as const
  return samples.range(handle, query)
}

/** Every workload is restored to the state after one of its steps, none earlier than its step when the backup began. */
async function checkRestored(
  folder: string,
  workloads: readonly Workload[],
  least: readonly number[],
): Promise<void> {
  checkFolder(folder)
  const damages: unknown[] = []
  const samples = await openSampleStore({
    folder,
    segmentBytes: LONG_SEGMENT_BYTES,
    onDamage: (damage) => damages.push(damage),
  })
  try {
    for (const [at, workload] of workloads.entries()) {
      const [first, second, files] = await Promise.all(
        workload.handles.map((one) => readAll(samples, one)),
      )
      const step = first.times[first.count - 1] ?? 0
      assert.ok(step >= least[at], `lane ${at} was at ${least[at]} and is restored at ${step}`)
      const from = Math.max(1, step - KEPT_STEPS)
      const expected = Array.from({ length: step - from + 1 }, (_, index) => from + index)
      for (const { times, count } of [first, second, files]) {
        assert.deepEqual([...times.subarray(0, count)], expected, `lane ${at}`)
      }
      for (const key of files.texts ?? []) {
        assert.ok(
          existsSync(join(folder, 'files', String(key).slice(0, 2), String(key))),
          'a body is missing',
        )
      }
    }
    assert.deepEqual(damages, [])
  } finally {
    await samples.close()
  }
}

async function checkBackups(t: TestContext, segmentBytes: number): Promise<void> {
  const [seed] = testSeeds(1)
  t.diagnostic(`seed ${seed}`)
  const random = new Random(seed)
  const folder = temporaryFolder()
  const catalog = await openCatalogStore({ folder })
  const samples = await openSampleStore({ folder, segmentBytes })
  const blobs = await openBlobStore({ folder: join(folder, 'files') })
  markFolder(folder)
  const onFailure = (error: unknown) => assert.fail(String(error))
  const holds = new BackupHolds({ blobs, cut: () => samples.journalCut, onFailure })
  const parts = { catalog, samples, bodies: holds.keepBodies() }
  const workloads = Array.from({ length: WORKLOADS }, (_, at) => new Workload(parts, `lane${at}`))
  for (const workload of workloads) await workload.begin()
  let isOver = false
  const working = workloads.map(async (workload) => {
    while (!isOver) await workload.step(random)
  })
  const step = () => Promise.all(workloads.map((workload) => workload.reach(workload.done + 1)))
  const between = async () => {
    if (segmentBytes === LONG_SEGMENT_BYTES) await step()
  }
  const home = temporaryFolder()
  const backups: Array<{ target: string; least: number[] }> = []
  for (let at = 0; at < BACKUPS; at += 1) {
    await Promise.all(workloads.map((workload) => workload.reach((at + 1) * STEPS_BETWEEN)))
    const least = workloads.map(({ done }) => done)
    const target = join(home, `backup${at}${['', '.tar', '.tar.zst'][at % 3]}`)
    const { id } = holds.answer('backup begin', undefined)
    await writeBackup({
      folder,
      target,
      withKey: false,
      version: '0',
      time: '',
      onProgress: () => {},
      askCut: async () => {
        await between()
        const { cut } = holds.answer('backup cut', id)
        await between()
        return cut
      },
      onHeld: async () => {
        await between()
        holds.answer('backup pinned', id)
      },
      onCopied: async () => void holds.answer('backup going', id),
    }).done
    holds.answer('backup end', id)
    backups.push({ target, least })
  }
  isOver = true
  await Promise.all(working)
  t.diagnostic(
    `${workloads.map(({ done }) => done)} steps, sealed up to ${samples.journalCut.segment}`,
  )
  await samples.close()
  await catalog.close()
  holds.close()
  for (const [at, { target, least }] of backups.entries()) {
    const to = join(home, `restored${at}`)
    await restoreBackup({ from: target, to, onProgress: () => {} })
    await checkRestored(to, workloads, least)
  }
}

test('a backup between many seals is the folder at one moment, with all that was acknowledged before', (t) =>
  checkBackups(t, SHORT_SEGMENT_BYTES))

test('a backup during which streams and samples come is the folder at one moment', (t) =>
  checkBackups(t, LONG_SEGMENT_BYTES))

test('holds keep bodies while a backup runs, and give up one that is not heard of', async (t) => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'files'))
  const blobs = await openBlobStore({ folder: join(folder, 'files') })
  const cut = () => ({ segment: 1, bytes: null })
  const onFailure = (error: unknown) => assert.fail(String(error))
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const holds = new BackupHolds({ blobs, cut, onFailure, holdMs: 1_000, pinMs: 10 })
  const bodies = holds.keepBodies()
  const put = () => bodies.put(bodyOf('x'), { bytesMax: 10 })
  const isThere = (key: string) => existsSync(join(folder, 'files', key.slice(0, 2), key))
  const [kept, swept] = [await put(), await put()]
  const { id } = holds.answer('backup begin', undefined)
  await bodies.delete(kept.key)
  assert.equal(await bodies.sweep(() => false, Date.now() + 1e9), 0)
  assert.ok(isThere(kept.key) && isThere(swept.key))
  // Deletions go on by themselves when nothing more is heard.
  const ending = holds.mayEndDeletion()
  t.mock.timers.tick(10)
  await ending
  assert.throws(() => holds.answer('backup cut', id), /given this backup up/)
  holds.answer('backup going', id)
  assert.ok(isThere(kept.key))
  t.mock.timers.tick(1_000)
  await new Promise<void>((resolve) => {
    const look = (): void => void (isThere(kept.key) ? setImmediate(look) : resolve())
    look()
  })
  assert.throws(() => holds.answer('backup going', id), /given this backup up/)
  assert.equal(await bodies.sweep(() => false, Date.now() + 1e9), 1)
})

async function* bodyOf(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}
