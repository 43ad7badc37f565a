import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { isDiskFull } from '../disk/disk.ts'
import { HeadGeneration } from '../head/head-generation.ts'
import { ChunkReadTable } from '../sealed/chunk-read-table.ts'
import { ChunkTable } from './chunk-table.ts'
import { openSamplesFile } from './open-samples-file.ts'
import type { SegmentContent } from './segment-reader.ts'
import { SealStopped, SegmentSealer } from './segment-sealer.ts'
import { SortedSamples } from './sorted-samples.ts'
import { TouchedTable } from './touched-table.ts'

function contentOf(segment: number, fill: (generation: HeadGeneration) => void): SegmentContent {
  const generation = new HeadGeneration(segment)
  fill(generation)
  return {
    segments: [segment],
    sorted: new SortedSamples(),
    generation,
    damages: [],
    lastSequence: segment,
  }
}

const OLD = contentOf(1, (generation) => {
  for (let time = 0; time < 10; time++) generation.put(1, time, 1, undefined)
  for (let time = 0; time < 10; time++) generation.put(2, time, 1, undefined)
})

/** Overwrites stream 1, removes from stream 2; stream 9 needs many pages. */
function nextContent(): SegmentContent {
  return contentOf(2, (generation) => {
    for (let time = 0; time < 600; time++) generation.put(1, time, 2, undefined)
    generation.remove(2, 0, 10)
    for (let time = 100; time < 700; time++) generation.put(2, time, 2, undefined)
    for (let time = 0; time < 20_000; time++) generation.put(9, time, Math.sin(time), undefined)
  })
}

/** What samples.db holds after both segments; the disk may be full at the first try of the second. */
function sealBoth(t: TestContext, failure: 'none' | 'while writing' | 'at the commit') {
  const folder = mkdtempSync(join(tmpdir(), 'weir-sealer-'))
  const db = openSamplesFile(join(folder, 'samples.db'))
  t.after(() => {
    db.close()
    rmSync(folder, { recursive: true })
  })
  const table = new ChunkTable(db)
  const touched = new TouchedTable(db)
  touched.watch([1, 2])
  const sealer = new SegmentSealer(table, touched, () => false)
  sealer.seal(OLD)
  if (failure === 'while writing') {
    const { page_count: pages } = db.prepare('PRAGMA page_count').get() as { page_count: number }
    db.exec(`PRAGMA max_page_count = ${pages}`)
    assert.throws(() => sealer.seal(nextContent()), isDiskFull)
    db.exec('PRAGMA max_page_count = 1000000')
  }
  if (failure === 'at the commit') {
    t.mock.method(table, 'commit', () => {
      throw Object.assign(new Error('database or disk is full'), { errcode: 13 })
    })
    assert.throws(() => sealer.seal(nextContent()), /full/)
    t.mock.restoreAll()
  }
  sealer.seal(nextContent())
  const rows = db.prepare('SELECT stream, level, start, last, count, data FROM chunk ORDER BY id')
  const spans = db.prepare('SELECT cursor, stream, start, until FROM touched ORDER BY 1, 2')
  return { rows: rows.all(), touched: spans.all() }
}

test('seal() after a failed try leaves what one that never failed leaves', (t) => {
  const whole = sealBoth(t, 'none')
  for (const failure of ['while writing', 'at the commit'] as const) {
    assert.deepEqual(sealBoth(t, failure), whole, failure)
  }
})

/** The number of samples of each chunk of a stream, in order, after `segments` segments of `samples` samples each. */
function chunkCounts(t: TestContext, segments: number, samples: number): number[] {
  const folder = mkdtempSync(join(tmpdir(), 'weir-sealer-'))
  const db = openSamplesFile(join(folder, 'samples.db'))
  t.after(() => {
    db.close()
    rmSync(folder, { recursive: true })
  })
  const sealer = new SegmentSealer(new ChunkTable(db), new TouchedTable(db), () => false)
  for (let segment = 1; segment <= segments; segment++) {
    const content = contentOf(segment, (generation) => {
      for (let at = 0; at < samples; at++) {
        generation.put(1, segment * samples + at, at, undefined)
      }
    })
    sealer.seal(content)
  }
  const rows = db.prepare('SELECT count FROM chunk WHERE stream = 1 ORDER BY start').all()
  return rows.map(({ count }) => Number(count))
}

test('seal() joins the chunks at the end of a stream, and leaves those that are large beside what comes', (t) => {
  const f = (segments: number, samples: number, want: number[]) =>
    assert.deepEqual(chunkCounts(t, segments, samples), want)
  f(1, 1_600, [1_600])
  f(2, 1_600, [3_200])
  f(3, 1_600, [3_200, 1_600])
  f(6, 1_600, [3_200, 3_200, 3_200])
  f(2, 600, [1_200])
  f(3, 600, [1_200, 600])
  f(4, 600, [2_400])
  f(8, 600, [4_096, 704])
  f(2, 10_000, [4_096, 4_096, 4_096, 4_096, 3_616])
})

test('seal() that is cut in the first segment of all leaves a file in which nothing is sealed', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-sealer-'))
  const file = join(folder, 'samples.db')
  const db = openSamplesFile(file)
  const reading = new ChunkReadTable(file)
  t.after(() => {
    reading.close()
    db.close()
    rmSync(folder, { recursive: true })
  })
  let left = 2_000
  const isStopping = () => {
    left -= 1
    return left < 0
  }
  const sealer = new SegmentSealer(new ChunkTable(db), new TouchedTable(db), isStopping)
  const content = contentOf(1, (generation) => {
    for (let handle = 1; handle <= 3_000; handle++) generation.put(handle, 1, 1, undefined)
  })
  assert.throws(() => sealer.seal(content), SealStopped)
  assert.notEqual(db.prepare('SELECT 1 FROM chunk').get(), undefined)
  assert.deepEqual(reading.readSealed(), { segment: 0, sequence: 0 })
})
