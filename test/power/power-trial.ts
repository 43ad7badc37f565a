import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmbeddedSampleStore, openSampleStore } from '../../src/store/embedded/index.ts'
import { Random } from '../support/random.ts'
import { SimDatabase } from './sim-database.ts'
import { simDisk } from './sim-disk.ts'
import { PowerCut, SimFiles } from './sim-files.ts'
import { steppedMachine } from './sim-machine.ts'
import { Workload } from './workload.ts'

const WORKLOADS = 3
const HANDLES_PER_WORKLOAD = 1_000
const MEMORY = '/dev/shm'
const ROOM_BYTES = 512 * 1024 * 1024
/** SQLite's own syncs cost nothing in memory, where there is such a folder with room. */
const HOME = hasRoom(MEMORY) ? MEMORY : tmpdir()

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize > ROOM_BYTES
}

/** A store whose power goes again and again, and the callers who know what they were promised. */
export class PowerTrial {
  readonly #random: Random
  readonly #home = mkdtempSync(join(HOME, 'weir-power-'))
  readonly #files: SimFiles
  readonly #database: SimDatabase
  readonly #workloads: Workload[]
  /** Cuts so far. */
  cuts = 0
  /** How often several segments were sealed in one pass. */
  together = 0

  constructor(seed: number) {
    this.#random = new Random(seed)
    this.#files = new SimFiles(this.#random)
    this.#database = new SimDatabase(this.#files, this.#random, this.#home)
    this.#workloads = Array.from(
      { length: WORKLOADS },
      (_, workload) => new Workload(this.#random, 1 + workload * HANDLES_PER_WORKLOAD),
    )
  }

  /** Lets syncs be answered without being done: what a test must notice. */
  loseSyncs(share: number): void {
    this.#files.lostSyncs = share
  }

  get acknowledged(): number {
    return this.#workloads.reduce((sum, workload) => sum + workload.acknowledged, 0)
  }

  /** One life: start, check, work, and the end in the middle of it. */
  async live(): Promise<void> {
    const random = this.#random
    // Some are cut while they start, most while they work.
    this.#files.cutAfter(random.next() < 0.2 ? random.integer(0, 12) : random.integer(0, 150))
    let store: EmbeddedSampleStore | undefined
    try {
      store = await this.#open()
      await this.#work(store)
      // A stop is cut as well, or has come to its end.
      await store.close()
    } catch (error) {
      if (!this.#files.isOff) throw error
    }
    await this.#end(store)
    await this.#checkSurvivors()
  }

  dispose(): void {
    rmSync(this.#home, { recursive: true })
  }

  #open(): Promise<EmbeddedSampleStore> {
    const { folder } = this.#database
    const disk = simDisk(this.#files, folder)
    const turnsMax = this.#random.pick([1, 1, 20, 100])
    const machine = steppedMachine(disk, () => this.#database.open(), {
      iterations: () => this.#random.integer(1, turnsMax),
      onSealed: ({ length }) => {
        if (length > 1) this.together += 1
      },
    })
    const segmentBytes = this.#random.pick([4096, 8192, 32_768])
    const backlogMax = this.#random.pick([0, 3, 7])
    return openSampleStore({ folder, segmentBytes, machine, backlogMax })
  }

  async #work(store: EmbeddedSampleStore): Promise<void> {
    const changes = this.#random.pick([1, 5, 1_000, 1_000, 1_000, 1_000])
    const work = this.#workloads.map(async (workload) => {
      for (let left = changes; left > 0 && !this.#files.isOff; left -= 1) {
        await workload.change(store)
        if (this.#random.next() < 0.05) await store.sealAll()
        if (this.#random.next() < 0.05) await workload.check(store)
      }
    })
    const ends = await Promise.allSettled(work)
    for (const end of ends) {
      if (end.status === 'rejected' && !this.#files.isOff) throw end.reason
      if (end.status === 'rejected' && end.reason instanceof assert.AssertionError) throw end.reason
    }
  }

  /** The process is gone: killed with the power on, or with the power. */
  async #end(store: EmbeddedSampleStore | undefined): Promise<void> {
    if (!this.#files.isOff) this.#cutNow()
    await store?.close().catch((error: unknown) => assert.ok(error instanceof PowerCut))
    this.#database.abandon()
    const hadPower = this.#random.next() < 0.3
    this.#files.restart(hadPower)
    this.#database.restart(hadPower)
    this.cuts += 1
  }

  #cutNow(): void {
    assert.throws(() => this.#files.off(), PowerCut)
  }

  async #checkSurvivors(): Promise<void> {
    const store = await this.#open()
    for (const workload of this.#workloads) await workload.check(store)
    assert.deepEqual(store.status(), {
      readOnlyReason: undefined,
      isSealingStuck: false,
      damages: [],
    })
    // Data that was read must be the same after the next power cut.
    await this.#end(store)
  }
}
