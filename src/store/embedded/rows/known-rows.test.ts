import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Random, testSeeds } from '../../../../test/support/random.ts'
import { CHUNK_LEVEL, type ChunkPlace, DAMAGED_LEVEL, RUN_LEVEL } from './chunk-row.ts'
import type { IndexedRow } from './known-rows.ts'
import { rowSum, wrapRowSum } from './row-sum.ts'
import { type RowIndex, StreamRows } from './stream-rows.ts'

const STREAM = 7

/** Between the starts of chunks: as small as ids, by which weighed fields of different rows would add up to the same. */
const STEP = 10

/** An index in memory, which may return wrong rows. */
class PlainIndex implements RowIndex {
  rows: IndexedRow[] = []
  /** Rows that only a list from the very beginning finds. */
  readonly hidden = new Set<number>()
  scans = 0
  nextId = 1

  keptSum(): number {
    const sums = this.rows.map(([id, level, start, last, count]) =>
      rowSum({ id, level, start, last, count }),
    )
    return sums.reduce((all, one) => wrapRowSum(all + one), 0)
  }

  listRows(): IndexedRow[] {
    this.scans += 1
    return this.rows.toSorted((a, b) => a[1] - b[1] || a[2] - b[2])
  }

  listRowsFrom(_stream: number, from: number): IndexedRow[] {
    return this.#seek((row) => row[1] !== CHUNK_LEVEL || row[2] >= from)
  }

  listChunks(_stream: number, from: number, until: number): IndexedRow[] {
    return this.#seek((row) => row[1] === CHUNK_LEVEL && row[2] >= from && row[2] < until)
  }

  add(level: number, start: number): ChunkPlace {
    const place = { id: this.nextId, start, last: start + 5, count: 3 }
    this.nextId += 1
    this.rows.push([place.id, level, place.start, place.last, place.count])
    return place
  }

  delete(id: number): void {
    this.rows = this.rows.filter((row) => row[0] !== id)
  }

  #seek(wants: (row: IndexedRow) => boolean): IndexedRow[] {
    const found = this.rows.filter((row) => wants(row) && !this.hidden.has(row[0]))
    return found.sort((a, b) => a[1] - b[1] || a[2] - b[2])
  }
}

function chunksOf(index: PlainIndex): ChunkPlace[] {
  return index
    .listRows()
    .filter(([, level]) => level === CHUNK_LEVEL)
    .map(([id, , start, last, count]) => ({ id, start, last, count }))
}

/** Every question gets the answer that a look at all rows gives. */
function judge(rows: StreamRows, index: PlainIndex, random: Random): void {
  const known = rows.of(STREAM)
  const chunks = chunksOf(index)
  const time = random.integer(-STEP, 400 * STEP)
  assert.equal(known.sum, index.keptSum())
  assert.deepEqual(known.lastChunk, chunks.at(-1))
  assert.deepEqual(
    known.before(time),
    chunks.findLast(({ start }) => start <= time),
  )
  assert.deepEqual(
    known.after(time),
    chunks.find(({ start }) => start > time),
  )
  assert.deepEqual(
    [...known.forward(time)],
    chunks.filter(({ last }) => last >= time),
  )
  assert.deepEqual([...known.backward(time)], chunks.filter(({ start }) => start < time).reverse())
}

for (const seed of testSeeds(2)) {
  test(`StreamRows knows every row, with or without events of changes (WEIR_TEST_SEED=${seed})`, () => {
    const random = new Random(seed)
    const index = new PlainIndex()
    const [known, fresh] = [new StreamRows(index), new StreamRows(index)]
    for (let round = 0; round < 1_500; round += 1) {
      const isDelete = index.rows.length > 0 && random.next() < (round % 500 < 350 ? 0.2 : 0.7)
      if (isDelete) {
        const [id, level, start, last, count] = random.pick(index.rows)
        index.delete(id)
        const place = { id, start, last, count }
        known.change(STREAM, index.keptSum(), (rows) => rows.remove(level, place))
      } else {
        const level = random.pick([CHUNK_LEVEL, CHUNK_LEVEL, CHUNK_LEVEL, RUN_LEVEL, DAMAGED_LEVEL])
        const start = random.integer(0, 400) * STEP
        if (index.rows.some((row) => row[2] === start)) continue
        const place = index.add(level, start)
        known.change(STREAM, index.keptSum(), (rows) => rows.add(level, place))
      }
      judge(known, index, random)
      if (round % 7 === 0) judge(fresh, index, random)
    }
  })
}

test('StreamRows reads only the end again when that is where rows came', () => {
  const index = new PlainIndex()
  for (let at = 0; at < 200; at += 1) index.add(CHUNK_LEVEL, at * 10)
  const rows = new StreamRows(index)
  rows.of(STREAM)
  for (let at = 200; at < 300; at += 1) {
    index.add(CHUNK_LEVEL, at * 10)
    assert.equal(rows.of(STREAM).lastChunk?.start, at * 10)
  }
  assert.equal(index.scans, 1)
})

test('StreamRows throws where a search misses what a list of all rows has', () => {
  const index = new PlainIndex()
  const places = Array.from({ length: 200 }, (_, at) => index.add(CHUNK_LEVEL, at * 10))
  const rows = new StreamRows(index)
  index.hidden.add(places[50].id)
  const known = rows.of(STREAM)
  assert.equal(known.before(1_990)?.start, 1_990)
  assert.throws(() => known.before(505), /does not find/)
  index.rows.pop()
  index.rows.push([places[199].id, CHUNK_LEVEL, 1_990, 1_995, 4])
  const kept = index.keptSum()
  index.keptSum = () => kept + 1
  assert.throws(() => rows.of(STREAM), /do not add up/)
})

test('StreamRows takes no entry for a row that is no number, though it adds nothing to the sum', () => {
  const index = new PlainIndex()
  index.add(RUN_LEVEL, 0)
  const kept = index.keptSum()
  index.keptSum = () => kept
  const [[id, , , last, count]] = index.rows
  index.rows = [[id, null as unknown as number, 0, last, count]]
  assert.throws(() => new StreamRows(index).of(STREAM), /no number/)
})

test('StreamRows reads rows again after a change that failed halfway', () => {
  const index = new PlainIndex()
  for (let at = 0; at < 5; at += 1) index.add(CHUNK_LEVEL, at * 10)
  const rows = new StreamRows(index)
  rows.of(STREAM)
  const kept = index.keptSum()
  const failing = (): void =>
    rows.change(STREAM, kept + 1, (known) => {
      known.add(CHUNK_LEVEL, { id: 99, start: 70, last: 75, count: 3 })
      throw new Error('as the test asked')
    })
  assert.throws(failing, /as the test asked/)
  assert.equal(rows.of(STREAM).lastChunk?.start, 40)
})

test('StreamRows forgets what was not used for longest, however often the others are', () => {
  const index = new PlainIndex()
  for (let at = 0; at < 60; at += 1) index.add(CHUNK_LEVEL, at * 10)
  const rows = new StreamRows(index)
  const { weight } = rows.of(0)
  const streams = Math.floor(250_000 / weight)
  for (let stream = 1; stream < streams; stream += 1) rows.of(stream)
  assert.equal(index.scans, streams)
  for (let stream = 0; stream < streams; stream += 1) {
    rows.of(stream)
    rows.change(stream, index.keptSum(), () => {})
  }
  assert.equal(index.scans, streams, 'there is room for all of them')
  for (const stream of [streams, streams + 1]) rows.of(stream)
  for (let stream = Math.ceil(streams / 8); stream < streams; stream += 1) rows.of(stream)
  assert.equal(index.scans, streams + 2, 'those that were used since are known')
  rows.of(0)
  assert.equal(index.scans, streams + 3, 'the oldest is not')
})
