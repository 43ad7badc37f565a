/**
 * A process under load is killed with SIGKILL at a random moment, again and again over the same
 * folder; every sample it acknowledged must be there and none that was never sent. A few rounds run
 * with all tests; `npm run test:nightly` runs a hundred.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type EmbeddedSampleStore, openSampleStore } from '../../../src/store/embedded/index.ts'
import { read } from '../../contract/sample-store-contract.ts'
import { Random, roundsBy, testSeeds } from '../../support/random.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import * as load from './crash-load.ts'

const ROUNDS = roundsBy({ everyRun: 4, nightly: 100 })
const WRITER = fileURLToPath(new URL('./crash-writer.ts', import.meta.url))
/** Appends under way when the process dies may or may not be kept. */
const IN_FLIGHT = 8

/** Runs the writer until it has acknowledged `enough` batches; reports which ones it did. */
async function runAndKill(folder: string, first: number, enough: number): Promise<number[]> {
  const file = `${folder}.acknowledged`
  writeFileSync(file, '')
  const child = spawn(process.execPath, [WRITER, folder, String(first), file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  let seen = 0
  if (enough === 0) child.kill('SIGKILL')
  for await (const dots of child.stdout) {
    seen += dots.length
    if (seen >= enough) child.kill('SIGKILL')
  }
  const [, signal] = await exited
  assert.equal(signal, 'SIGKILL', 'the writer must not end by itself')
  const lines = readFileSync(file, 'utf8').split('\n')
  rmSync(file)
  // The kill may have cut the last line.
  return lines.slice(0, -1).map(Number)
}

class Ledger {
  /** Acknowledged batches, and those that may have been sent: known or not, never beyond. */
  readonly #acknowledged = new Set<number>()
  readonly #sent: Array<{ first: number; end: number }> = []
  #next = 1

  get next(): number {
    return this.#next
  }

  add(first: number, acknowledged: readonly number[]): void {
    for (const n of acknowledged) this.#acknowledged.add(n)
    const last = Math.max(first - 1, ...acknowledged)
    this.#next = last + 1 + 2 * IN_FLIGHT
    this.#sent.push({ first, end: this.#next })
  }

  async check(store: EmbeddedSampleStore): Promise<void> {
    for (let handle = 1; handle <= load.PLAIN_STREAMS; handle += 1) {
      const valueAt = (n: number): number => load.plainValue(handle, n)
      await this.#checkGrowing(store, { handle, valueAt, timeOf: (n) => n * load.STEP_MS })
    }
    const word = { handle: load.WORDS, valueAt: load.wordOf }
    await this.#checkGrowing(store, { ...word, timeOf: (n) => n * load.STEP_MS })
    const shuffled = { handle: load.SHUFFLED, valueAt: (n: number) => n }
    await this.#checkGrowing(store, { ...shuffled, timeOf: load.shuffledTime })
    await this.#checkReplaced(store)
    await this.#checkHoled(store)
    assert.deepEqual(store.status(), {
      readOnlyReason: undefined,
      isSealingStuck: false,
      damages: [],
    })
  }

  async #checkGrowing(
    store: EmbeddedSampleStore,
    stream: {
      handle: number
      timeOf: (n: number) => number
      valueAt: (n: number) => number | string
    },
  ): Promise<void> {
    const found = new Map(await read(store, stream.handle))
    for (const n of this.#acknowledged) {
      const [time, value] = [stream.timeOf(n), stream.valueAt(n)]
      assert.equal(found.get(time), value, `batch ${n} of stream ${stream.handle}`)
      found.delete(time)
    }
    const maybe = new Map(this.#uncertain().map((n) => [stream.timeOf(n), stream.valueAt(n)]))
    for (const [time, value] of found) {
      assert.equal(maybe.get(time), value, `stream ${stream.handle} invented ${time}`)
    }
  }

  async #checkReplaced(store: EmbeddedSampleStore): Promise<void> {
    const newest = Math.max(0, ...this.#acknowledged)
    const [overwritten, ...none] = await read(store, load.OVERWRITTEN)
    const [point, ...others] = await read(store, load.POINT)
    assert.deepEqual([none, others], [[], []])
    if (newest === 0) return
    assert.equal(overwritten[0], 0)
    assert.ok(Number(overwritten[1]) >= newest && Number(overwritten[1]) < this.#next)
    assert.ok(Number(point[1]) >= newest && Number(point[1]) < this.#next)
    assert.equal(point[0], point[1])
  }

  async #checkHoled(store: EmbeddedSampleStore): Promise<void> {
    const found = new Map(await read(store, load.HOLED))
    const [sure, maybe] = [this.#holes([...this.#acknowledged]), this.#holes(this.#uncertain())]
    for (const n of this.#acknowledged) {
      const value = found.get(n * load.STEP_MS)
      if (sure.has(n)) assert.equal(value, undefined, `batch ${n} came back`)
      else if (!maybe.has(n)) assert.equal(value, n, `batch ${n} of the holed stream`)
    }
  }

  #holes(batches: readonly number[]): Set<number> {
    const holes = new Set<number>()
    for (const n of batches) {
      const hole = load.holeOf(n)
      for (let at = hole?.from ?? 0; at < (hole?.until ?? 0); at += 1) holes.add(at)
    }
    return holes
  }

  #uncertain(): number[] {
    return this.#sent.flatMap(({ first, end }) =>
      Array.from({ length: end - first }, (_, index) => first + index).filter(
        (n) => !this.#acknowledged.has(n),
      ),
    )
  }
}

const [seed] = testSeeds(1)
test(`kill -9 loses nothing, ${ROUNDS} rounds (WEIR_TEST_SEED=${seed})`, async () => {
  const random = new Random(seed)
  const folder = temporaryFolder()
  const ledger = new Ledger()
  for (let round = 1; round <= ROUNDS; round += 1) {
    const enough = random.pick([0, 1, 20, 200, 1000, 3000])
    const first = ledger.next
    ledger.add(first, await runAndKill(folder, first, random.integer(0, enough + 1)))
    // Some rounds go on over what the last one left, without anyone reading in between.
    if (round !== ROUNDS && random.next() < 0.3) continue
    const store = await openSampleStore({ folder, segmentBytes: 128 * 1024 })
    try {
      await ledger.check(store)
    } finally {
      await store.close()
    }
  }
})
