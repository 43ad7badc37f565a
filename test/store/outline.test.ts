/** Outlines of long sealed streams against plain arithmetic: exact where they say they lie. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type EmbeddedSampleStore, openSampleStore } from '../../src/store/embedded/index.ts'
import { batch, stream } from '../contract/sample-store-contract.ts'
import { Random, testSeeds } from '../support/random.ts'
import { SampleModel } from './sample-model.ts'

const T0 = 1_700_000_000_123
const SAMPLES = 30_000

/** Streams by how far apart their samples are: blocks of a part of a chunk, of a chunk, of hours. */
const STEPS = [1, 250, 1_000, 10_000, 600_000]

class Trial {
  readonly random: Random
  readonly model = new SampleModel()
  readonly #folder = mkdtempSync(join(tmpdir(), 'weir-outline-'))
  store: EmbeddedSampleStore | undefined

  constructor(seed: number) {
    this.random = new Random(seed)
  }

  async open(): Promise<EmbeddedSampleStore> {
    this.store = await openSampleStore({ folder: this.#folder })
    return this.store
  }

  async append(rows: [handle: number, time: number, value: number | string][]): Promise<void> {
    for (const row of rows) this.model.put(...row)
    await this.store?.append(batch(rows))
  }

  async fill(): Promise<void> {
    for (const [at, step] of STEPS.entries()) {
      let time = T0
      const rows = Array.from({ length: SAMPLES }, (): [number, number, number] => {
        time += step * this.random.pick([1, 1, 1, 1, 2, 50])
        return [at + 1, time, this.random.integer(-10_000, 10_000) / 100]
      })
      await this.append(rows)
    }
  }

  /** A few ranges of every stream, on few pixels and on many. */
  async check(store: EmbeddedSampleStore): Promise<void> {
    for (const [at] of STEPS.entries()) {
      const all = this.model.read(at + 1)
      for (const points of [1, 7, 60, 300]) {
        const from = this.random.pick(all)[0] - this.random.integer(0, 3)
        const length = Math.floor((all[all.length - 1][0] - from) * this.random.pick([1, 0.3, 1.2]))
        const width = Math.max(1, Math.ceil(length / points))
        const edges = Float64Array.from({ length: points + 1 }, (_, i) => from + i * width)
        this.model.checkOutline(at + 1, edges, await store.outline(stream(at + 1), edges))
      }
    }
  }

  async close(): Promise<void> {
    await this.store?.close()
    rmSync(this.#folder, { recursive: true })
  }
}

for (const seed of testSeeds(1)) {
  test(`outline() is exact in memory, sealed and reopened (WEIR_TEST_SEED=${seed})`, async () => {
    const trial = new Trial(seed)
    try {
      const store = await trial.open()
      await trial.fill()
      await trial.check(store)
      await store.sealAll()
      await trial.check(store)
      await trial.append(
        STEPS.map((step, at) => [at + 1, T0 + step * trial.random.integer(0, SAMPLES), 1e6]),
      )
      await trial.check(store)
      await store.close()
      await trial.check(await trial.open())
    } finally {
      await trial.close()
    }
  })
}
