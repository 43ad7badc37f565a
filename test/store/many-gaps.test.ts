import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { epochMs } from '../../src/base/index.ts'
import { openSampleStore } from '../../src/store/embedded/index.ts'
import type { Removal, SampleStore } from '../../src/store/index.ts'
import { stream } from '../support/samples.ts'

const SAMPLES = 400_000
const TIMES = { from: epochMs(0), until: epochMs(SAMPLES) }

function removal(from: number, until: number): Removal {
  return { handle: stream(1), from: epochMs(from), until: epochMs(until) }
}

/** One batch: samples at 0, 1, 2, …, or the removal of every other of them. */
function append(store: SampleStore, what: 'samples' | 'gaps'): Promise<void> {
  const isGaps = what === 'gaps'
  const count = isGaps ? 0 : SAMPLES
  return store.append({
    count,
    handles: new Uint32Array(count).fill(1),
    times: Float64Array.from({ length: count }, (_, at) => at),
    numbers: Float64Array.from({ length: count }, (_, at) => at),
    // As a put to an interval stream: samples make room for themselves, gaps go on beyond them.
    removals: isGaps
      ? Array.from({ length: SAMPLES }, (_, at) => removal(at * 2, at * 2 + 1))
      : [removal(0, SAMPLES)],
  })
}

async function checkGaps(store: SampleStore): Promise<void> {
  const all = { ...TIMES, limit: SAMPLES, order: 'latest_first' } as const
  const { count, times } = await store.range(stream(1), all)
  assert.equal(count, SAMPLES / 2)
  assert.ok(times.subarray(0, count).every((time) => time % 2 === 1))
  const summaries = await store.fold(stream(1), Float64Array.of(0, 1_000, SAMPLES))
  assert.deepEqual([...summaries.count], [500, SAMPLES / 2 - 500])
}

// Work that grows with samples times gaps takes minutes here instead of a second.
for (const isSealedBefore of [false, true]) {
  const where = isSealedBefore ? 'sealed' : 'live'
  test(`append() of a gap at every other ${where} sample is no slower than the samples were`, {
    timeout: 100_000,
  }, async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'weir-gaps-'))
    const store = await openSampleStore({ folder })
    context.after(async () => {
      await store.close()
      rmSync(folder, { recursive: true })
    })
    await append(store, 'samples')
    if (isSealedBefore) await store.sealAll()
    await append(store, 'gaps')
    await append(store, 'gaps')
    await checkGaps(store)
    await store.sealAll()
    await checkGaps(store)
  })
}
