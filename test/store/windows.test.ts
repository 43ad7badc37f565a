/**
 * Windows of streams with many blocks in their summaries: edges on block boundaries and elsewhere, ties, zeros of both
 * signs, late samples, and deletes. The bits must be those that samples give.
 */
import { test } from 'node:test'
import { epochMs } from '../../src/base/index.ts'
import { type EmbeddedSampleStore, openSampleStore } from '../../src/store/embedded/index.ts'
import { Random, roundsOf, testSeeds } from '../support/random.ts'
import { batch, read, stream } from '../support/samples.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { checkWindows } from './window-model.ts'

const START = Date.UTC(2026, 0, 1)
const HOUR_MS = 3_600_000
const LOOKS = 25

/** Values that rise and fall slowly, few different ones, or always the same. */
function valuesOf(random: Random): () => number {
  const constant = random.pick([0, -0, 1.5])
  let walk = random.integer(-50, 50)
  return random.pick([
    () => constant,
    () => random.pick([0, -0, 1]),
    () => random.pick([-1, 0, -0]),
    () => random.integer(-1e6, 1e6) / 1000,
    () => {
      walk += random.integer(-2, 3)
      return walk / 10
    },
  ])
}

async function fill(store: EmbeddedSampleStore, random: Random, handle: number): Promise<number> {
  const stepMs = random.pick([1_000, 10_000, 60_000])
  const next = valuesOf(random)
  const count = random.integer(2_000, 20_000)
  const offset = random.pick([0, 0, 1, 500])
  const rows = Array.from({ length: count }, (_, at): [number, number, number] => [
    handle,
    START + offset + at * stepMs,
    next(),
  ])
  const cut = random.integer(0, count)
  await store.append(batch(rows.slice(0, cut)))
  if (random.next() < 0.5) await store.sealAll()
  await store.append(batch(rows.slice(cut)))
  if (random.next() < 0.8) await store.sealAll()
  const end = START + count * stepMs
  if (random.next() < 0.4) {
    const late = Array.from({ length: random.integer(1, 20) }, (): [number, number, number] => [
      handle,
      random.integer(START, end),
      next(),
    ])
    await store.append(batch(late))
  }
  if (random.next() < 0.3) {
    const from = random.integer(START, end)
    const until = from + random.integer(1, 5 * HOUR_MS)
    await store.remove({ handle: stream(handle), from: epochMs(from), until: epochMs(until) })
  }
  return end
}

async function look(
  store: EmbeddedSampleStore,
  random: Random,
  { handle, end }: { readonly handle: number; readonly end: number },
): Promise<void> {
  const samples = await read(store, handle)
  const bits = samples.map(([time, value]): [number, bigint] => [
    time,
    new BigUint64Array(Float64Array.of(Number(value)).buffer)[0],
  ])
  for (let round = 0; round < LOOKS; round++) {
    const windowMs = random.pick([HOUR_MS / 4, HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS, 7_654_321])
    const aligned = Math.floor(random.integer(START - windowMs, end) / windowMs) * windowMs
    const firstFrom = random.pick([aligned, aligned, aligned - 1, random.integer(START, end)])
    const windowCount = random.pick([1, 2, 7, 200])
    const asked = { handles: [stream(handle)], firstFrom, windowMs, windowCount }
    await checkWindows(store, { bits, textTimes: [] }, asked)
  }
}

for (const seed of testSeeds(roundsOf(3))) {
  test(`windows from summaries have the bits of samples (WEIR_TEST_SEED=${seed})`, async () => {
    const random = new Random(seed)
    const store = await openSampleStore({ folder: temporaryFolder() })
    try {
      for (let handle = 1; handle <= 8; handle++) {
        const end = await fill(store, random, handle)
        await look(store, random, { handle, end })
      }
    } finally {
      await store.close()
    }
  })
}
