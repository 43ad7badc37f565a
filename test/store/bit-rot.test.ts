/** Single bits of a small samples.db flipped: reads return the truth or report damage. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { mergeColumns } from '../../src/store/embedded/chunk/index.ts'
import { FolderDamaged, isDamagedFile } from '../../src/store/embedded/damage/folder-damaged.ts'
import type { FoundDamage } from '../../src/store/embedded/damage/found-damage.ts'
import { EMPTY_MASK } from '../../src/store/embedded/head/tombstones.ts'
import { openSampleStore } from '../../src/store/embedded/index.ts'
import { openSamplesFile } from '../../src/store/embedded/seal/open-samples-file.ts'
import { CheckedRows } from '../../src/store/embedded/sealed/checked-rows.ts'
import { ChunkReadTable } from '../../src/store/embedded/sealed/chunk-read-table.ts'
import { readKept } from '../../src/store/embedded/sealed/kept-state.ts'
import { ScrubTable } from '../../src/store/embedded/sealed/scrub-table.ts'
import { foldSealed } from '../../src/store/embedded/sealed/sealed-fold.ts'
import { SealedSamples } from '../../src/store/embedded/sealed/sealed-samples.ts'
import { SummaryFold } from '../../src/store/embedded/summary/index.ts'
import { batch, stream } from '../contract/sample-store-contract.ts'
import { Random, roundsBy, testSeeds } from '../support/random.ts'

const STREAMS = [1, 2, 3, 4, 255, 256, 70_000]
const FLIPS = roundsBy({ everyRun: 60, nightly: 1_000 })
const FIRST_PAGE_BITS = 32_768 * 8
const HOUR = 3_600_000
const ALL = { from: -Infinity, until: Infinity, limit: Infinity, isLatestFirst: false }
const EDGES = Float64Array.from({ length: 30 }, (_, at) => at * HOUR)

let folder: string
let intact: Buffer
let truth: Contents
let truthByTime: ReadonlyMap<number, ReadonlyMap<number, number | string>>

type Samples = ReadonlyArray<readonly [time: number, value: number | string]>

/** Everything that can be read of a file, and the damage reported meanwhile. */
interface Contents {
  readonly samples: ReadonlyMap<number, Samples>
  readonly latest: ReadonlyMap<number, readonly [number, number | string] | undefined>
  readonly newest: ReadonlyMap<number, Samples>
  readonly folds: ReadonlyMap<number, string>
  readonly kept: string
  readonly damages: FoundDamage[]
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'weir-bit-rot-'))
  const random = new Random(11)
  const store = await openSampleStore({ folder, segmentBytes: 64 * 1024 })
  await store.watch([stream(1), stream(256)])
  for (let round = 0; round < 6; round += 1) {
    for (const handle of STREAMS) {
      const rows = Array.from({ length: handle === 4 ? 3 : 900 }, (_, at) => {
        const time = (round * 900 + at) * 10_000 + (round === 3 ? 5 : 0)
        const isText = handle === 3 && at % 3 === 0
        return [handle, time, isText ? `${at}` : random.integer(0, 500) / 4] as const
      })
      await store.append(batch(rows.map(([one, time, value]) => [one, time, value])))
    }
    await store.sealAll()
  }
  await store.append(batch([[2, 90_000_000, 4]]))
  await store.sealAll()
  await store.close()
  intact = readFileSync(join(folder, 'samples.db'))
  const found = await contentsOf(join(folder, 'samples.db'))
  assert.ok(!(found instanceof Error))
  assert.deepEqual(found.damages, [])
  truth = found
  truthByTime = new Map([...found.samples].map(([handle, samples]) => [handle, new Map(samples)]))
})
after(() => rmSync(folder, { recursive: true }))

/** Reads all that a file holds the way the store does. */
async function contentsOf(file: string): Promise<Contents | Error> {
  const damages: FoundDamage[] = []
  const table = new ChunkReadTable(file)
  try {
    const kept = readKept(table, file)
    if (kept instanceof Error) return kept
    damages.push(...kept.damages)
    const rows = new CheckedRows(table, (found) => damages.push(found))
    const sealed = new SealedSamples(rows)
    const [samples, latest, newest, folds] = [new Map(), new Map(), new Map(), new Map()]
    for (const handle of STREAMS) {
      latest.set(handle, await latestOf(sealed, handle))
      newest.set(handle, await readSealed(sealed, handle, { limit: 5, isLatestFirst: true }))
      folds.set(handle, await foldOf(rows, sealed, handle))
      samples.set(handle, await readSealed(sealed, handle))
    }
    const { segment, sequence } = kept
    const touched = table.selectTouched(0, 1_000)
    const reported = JSON.stringify([segment, sequence, touched, table.selectWatched()])
    return { samples, latest, newest, folds, kept: reported, damages }
  } finally {
    table.close()
  }
}

/** The last sample: where the short way to it does not check, the store looks for it among all. */
async function latestOf(sealed: SealedSamples, handle: number) {
  const last = sealed.latest(handle)
  if (last !== 'damaged') return last && ([last.time, last.value] as const)
  return (await readSealed(sealed, handle, { limit: 1, isLatestFirst: true })).at(-1)
}

async function readSealed(sealed: SealedSamples, handle: number, some = {}) {
  const span = { ...ALL, ...some }
  const columns = mergeColumns(await sealed.decode(sealed.take(handle, span, EMPTY_MASK)))
  const { count, times, texts, numbers } = columns
  return Array.from({ length: count }, (_, at) => [times[at], texts?.[at] ?? numbers[at]] as const)
}

async function foldOf(rows: CheckedRows, sealed: SealedSamples, handle: number): Promise<string> {
  const fold = new SummaryFold(EDGES)
  const span = { ...ALL, from: EDGES[0], until: EDGES[EDGES.length - 1] }
  const view = { handle, span, mask: EMPTY_MASK }
  const { runs, places } = sealed.takeApart(view)
  const columns = mergeColumns(runs.map((row) => sealed.decodeRow(view, row)))
  const source = { rows, sealed, isInOneStep: true, textBytesMax: Number.POSITIVE_INFINITY }
  assert.equal(await foldSealed(source, { ...view, columns, places }, fold), 'done')
  const { count, numberCount, sum, min, max, first, last } = fold.finish()
  const used = (column: ArrayLike<unknown>) =>
    Array.from(column).filter((_, at) => count[at] > 0 && numberCount[at] > 0)
  return JSON.stringify([[...count], ...[sum, min, max, first, last].map(used)])
}

/** As isDeepStrictEqual(), but much faster. */
function areSame(found: Samples = [], known: Samples = []): boolean {
  const isKnown = ([time, value]: Samples[number], at: number): boolean =>
    time === known[at][0] && Object.is(value, known[at][1])
  return found.length === known.length && found.every(isKnown)
}

/** Holds what a damaged file gave against the truth. */
function judge(found: Contents, what: string): void {
  const isTold = found.damages.length > 0
  const differing: unknown[] = (['latest', 'newest', 'folds', 'kept'] as const).filter(
    (part) => !isDeepStrictEqual(found[part], truth[part]),
  )
  const changed = STREAMS.filter(
    (handle) => !areSame(found.samples.get(handle), truth.samples.get(handle)),
  )
  if (!isTold) assert.deepEqual([...differing, ...changed], [], what)
  for (const handle of STREAMS) {
    const known = truthByTime.get(handle) ?? new Map()
    const shown = [
      ...((changed.includes(handle) ? found.samples.get(handle) : undefined) ?? []),
      ...(found.newest.get(handle) ?? []),
      ...[found.latest.get(handle) ?? []].filter((one) => one.length > 0),
    ] as [number, number | string][]
    for (const [time, value] of shown) {
      assert.ok(known.has(time) && Object.is(known.get(time), value), `${what}: stream ${handle}`)
    }
  }
}

/** Whether a scrub finds what a read came across. */
function scrubFinds(file: string): boolean {
  const table = new ScrubTable(file)
  try {
    for (;;) {
      const { damages, isDone } = table.step()
      if (damages.length > 0) return true
      if (isDone) return false
    }
  } finally {
    table.close()
  }
}

/** Bits to flip: most of them where something is stored, some anywhere. */
function chooseBit(random: Random): number {
  for (;;) {
    const byte = random.integer(0, intact.length - 1)
    if (intact[byte] !== 0 || random.next() < 0.01) return byte * 8 + random.integer(0, 7)
  }
}

function writeFlipped(file: string, bit: number): void {
  const bytes = Buffer.from(intact)
  bytes[bit >> 3] ^= 1 << (bit & 7)
  writeFileSync(file, bytes)
  for (const side of ['-wal', '-shm']) rmSync(`${file}${side}`, { force: true })
}

for (const seed of testSeeds(1)) {
  test(`no flipped bit of samples.db is served in silence (WEIR_TEST_SEED=${seed})`, async () => {
    const random = new Random(seed)
    const file = join(folder, 'flipped.db')
    const outcome = { refused: 0, reported: 0, unseen: 0 }
    for (let flip = 0; flip < FLIPS; flip += 1) {
      const bit = chooseBit(random)
      writeFlipped(file, bit)
      let found: Contents | Error
      try {
        // Opening to write checks what lies on the first page.
        if (bit < FIRST_PAGE_BITS) openSamplesFile(file).close()
        found = await contentsOf(file)
      } catch (error) {
        const isRefusal = error instanceof FolderDamaged || isDamagedFile(error)
        assert.ok(isRefusal, `bit ${bit}: ${error}`)
        found = error as Error
      }
      if (found instanceof Error) outcome.refused += 1
      else {
        judge(found, `bit ${bit}`)
        if (found.damages.length > 0 && flip % 5 === 0) assert.ok(scrubFinds(file), `bit ${bit}`)
        if (found.damages.length > 0) outcome.reported += 1
        else outcome.unseen += 1
      }
    }
    assert.ok(outcome.reported > FLIPS / 10, JSON.stringify(outcome))
  })
}
