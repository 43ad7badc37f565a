import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/support/fast-check.ts'
import { roundsOf } from '../../../../test/support/random.ts'
import { epochMs } from '../../../base/index.ts'
import type { SampleBatch, StreamHandle } from '../../ports/sample-port.ts'
import type { Disk } from '../disk/disk.ts'
import { realDisk } from '../disk/real-disk.ts'
import type { HeadGeneration } from '../head/head-generation.ts'
import { replaySegment } from '../head/replay.ts'
import { SampleSink } from '../head/sample-sink.ts'
import { DIRECTORY_BYTES, writeDirectory } from '../journal/directory.ts'
import { FRAME_HEADER_BYTES, finishFrame, frameBytes } from '../journal/frame.ts'
import { type JournalRecord, sizeRecord, viewMemory, writeRecord } from '../journal/record.ts'
import { SEGMENT_HEADER_BYTES, writeSegmentHeader } from '../journal/segment.ts'
import { type SegmentContent, SegmentReader } from './segment-reader.ts'

const PATH = 'journal/journal-000000000001.seg'
const FILE = { path: PATH, segment: 1 }
const HANDLES = 5
const SALT = 99

type Row = readonly [handle: number, time: number, value: number | string]

function batchOf(rows: readonly Row[], removals: ReadonlyArray<readonly number[]>): SampleBatch {
  return {
    count: rows.length,
    handles: Uint32Array.from(rows, ([handle]) => handle),
    times: Float64Array.from(rows, ([, time]) => time),
    numbers: Float64Array.from(rows, ([, , value]) => (typeof value === 'number' ? value : 0)),
    texts: rows.some(([, , value]) => typeof value === 'string')
      ? rows.map(([, , value]) => (typeof value === 'string' ? value : undefined))
      : undefined,
    removals: removals.map(([handle, from, length]) => ({
      handle: handle as StreamHandle,
      from: epochMs(from),
      until: epochMs(from + length),
    })),
  }
}

/** A segment with a frame for each list of records, of which the first has the sequence. */
function segmentOf(frames: ReadonlyArray<readonly JournalRecord[]>, firstSequence = 1): Uint8Array {
  const memory = viewMemory(new SharedArrayBuffer(64 * 1024))
  const { bytes } = memory
  writeSegmentHeader(bytes, { number: 1, salt: SALT, firstSequence })
  let start = SEGMENT_HEADER_BYTES
  frames.forEach((records, index) => {
    let at = start + FRAME_HEADER_BYTES
    for (const record of records) at = writeRecord(memory, at, sizeRecord(record))
    writeDirectory(bytes, start + FRAME_HEADER_BYTES, at)
    const payloadBytes = at + DIRECTORY_BYTES - start - FRAME_HEADER_BYTES
    const sequence = firstSequence + index
    finishFrame(bytes, start, { salt: SALT, sequence, payloadBytes, fileOffset: start })
    start += frameBytes(payloadBytes)
  })
  return bytes
}

/** A disk whose one file holds these bytes, read as the real disk does. */
function diskOf(bytes: () => Uint8Array): Disk {
  return {
    ...realDisk,
    readWhole(_path, room) {
      const file = bytes()
      if (room === undefined || room.length < file.length) return file.slice()
      room.set(file)
      return room.subarray(0, file.length)
    },
    readPart(_path, position, room) {
      const part = bytes().subarray(position, position + room.length)
      room.set(part)
      return room.subarray(0, part.length)
    },
  }
}

/** A disk of segments, the number of which ends their path. */
function diskOfAll(segments: readonly Uint8Array[]): Disk {
  const diskAt = (path: string): Disk =>
    diskOf(() => segments[Number(/[0-9](?=\.seg$)/.exec(path)) - 1])
  return {
    ...realDisk,
    readWhole: (path, room) => diskAt(path).readWhole(path, room),
    readPart: (path, position, room) => diskAt(path).readPart(path, position, room),
  }
}

function filesOf(segments: readonly Uint8Array[]) {
  return segments.map((_, index) => ({
    path: PATH.replace('1.seg', `${index + 1}.seg`),
    segment: index + 1,
  }))
}

function samplesOf(generation: HeadGeneration, handle: number): unknown[] {
  const sink = new SampleSink()
  generation.readAll(handle, sink)
  return rowsOf(sink.columns())
}

function rowsOf({ count, times, numbers, texts }: ReturnType<SampleSink['columns']>): unknown[] {
  return Array.from({ length: count }, (_, at) => [times[at], texts?.[at] ?? numbers[at]])
}

function contentsOf({ sorted, generation, ...content }: SegmentContent) {
  const streams = Array.from({ length: HANDLES }, (_, index) => {
    const handle = index + 1
    const isSorted = sorted.hasSamples(handle)
    assert.ok(!isSorted || !generation.hasSamples(handle), 'a stream is in both places')
    return {
      samples: isSorted ? rowsOf(sorted.columnsOf(handle)) : samplesOf(generation, handle),
      removed: generation.tombstones.maskOf(handle),
    }
  })
  const { lastSequence, damages } = content
  return { ...othersOf(generation), streams, lastSequence, damages }
}

function replayedContents(bytes: Uint8Array) {
  const replay = replaySegment(
    diskOf(() => bytes),
    PATH,
    1,
  )
  const { generation, lastSequence, damages } = replay
  const streams = Array.from({ length: HANDLES }, (_, index) => ({
    samples: samplesOf(generation, index + 1),
    removed: generation.tombstones.maskOf(index + 1),
  }))
  return { ...othersOf(generation), streams, lastSequence, damages }
}

function othersOf({ segment, forgotten }: HeadGeneration) {
  return { segment, forgotten: [...forgotten] }
}

const handle = fc.integer({ min: 1, max: HANDLES })
const time = fc.integer({ min: 0, max: 60 })
const number = fc.oneof(fc.integer(), fc.constantFrom(-0, 0.1))
const value = fc.oneof(
  { weight: 12, arbitrary: number },
  { weight: 1, arbitrary: fc.string({ maxLength: 3 }) },
)
const removal = fc.tuple(handle, time, fc.integer({ min: 1, max: 30 }))
const samples = fc
  .tuple(
    fc.array(fc.tuple(handle, time, value), { maxLength: 30 }),
    fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, fc.array(removal, { maxLength: 2 })),
  )
  .map(([rows, removals]) => ({ kind: 'samples' as const, batch: batchOf(rows, removals) }))
const rare = fc
  .tuple(fc.constantFrom('floor' as const, 'forget' as const), fc.tuple(handle, time))
  .map(([kind, [of, at]]) => ({ kind, batch: batchOf([[of, at, 0]], []) }))
const record = fc.oneof({ weight: 9, arbitrary: samples }, { weight: 1, arbitrary: rare })
const frames = fc.array(fc.array(record, { minLength: 1, maxLength: 4 }), { maxLength: 6 })

const bitPlace = fc.record({ at: fc.nat({ max: 4_000 }), bit: fc.nat({ max: 7 }) })

/** From windows that hold no frame, so that all is read whole, to such that hold every one. */
const windows = fc.constantFrom(
  undefined,
  { bytes: 64, bytesMax: 64 },
  { bytes: 40, bytesMax: 4_096 },

  { bytes: 512, bytesMax: 1_024 },
  { bytes: 1_024, bytesMax: 1_024 * 1_024 },
)

test('SegmentReader reads what replaySegment() reads, segment after segment', () => {
  fc.assert(
    fc.property(fc.array(frames, { minLength: 1, maxLength: 3 }), windows, (segments, window) => {
      let bytes: Uint8Array = new Uint8Array(0)
      const reader = new SegmentReader(
        diskOf(() => bytes),
        window,
      )
      for (const segment of segments) {
        bytes = segmentOf(segment)
        assert.deepEqual(contentsOf(reader.read([FILE])), replayedContents(bytes))
      }
    }),
    { numRuns: roundsOf(400) },
  )
})

test('SegmentReader reports damage as replaySegment() does, and remembers it for later reads', () => {
  fc.assert(
    fc.property(frames, windows, bitPlace, (segment, window, { at, bit }) => {
      let bytes = segmentOf(segment)
      const reader = new SegmentReader(
        diskOf(() => bytes),
        window,
      )
      reader.read([FILE])
      bytes[at] ^= 1 << bit
      const damaged = replayedContents(bytes)
      const content = reader.read([FILE])
      assert.deepEqual(contentsOf(content), damaged)
      bytes = new Uint8Array(bytes.length)
      reader.read([FILE])
      assert.deepEqual(content.damages, damaged.damages)
    }),
    { numRuns: roundsOf(400) },
  )
})

test('SegmentReader reads a clean segment in pieces only, and one that changes between them again', () => {
  const put = (value: number): JournalRecord => ({
    kind: 'samples',
    batch: batchOf([[1, value, value]], []),
  })
  const clean = segmentOf([[put(1)], [put(2)], [put(3)]])
  const whole = () => assert.fail('read whole')
  const inPieces = { ...diskOf(() => clean), readWhole: whole }
  const window = { bytes: 200, bytesMax: 400 }
  const { sorted, lastSequence } = new SegmentReader(inPieces, window).read([FILE])
  assert.equal(lastSequence, 3)
  assert.deepEqual(rowsOf(sorted.columnsOf(1)), [
    [1, 1],
    [2, 2],
    [3, 3],
  ])
  const shorter = segmentOf([[put(1)], [put(2)]])
  let starts = 0
  const disk = diskOf(() => (starts === 1 ? clean : shorter))
  const changing: Disk = {
    ...disk,
    readPart(path, position, room) {
      if (position === 0) starts += 1
      return disk.readPart(path, position, room)
    },
  }
  const content = new SegmentReader(changing, window).read([FILE])
  assert.deepEqual(contentsOf(content), replayedContents(shorter))
})

/** The segments as one that has all of their frames. */
function joined(segments: ReadonlyArray<ReadonlyArray<readonly JournalRecord[]>>) {
  const { segment: _, ...contents } = replayedContents(segmentOf(segments.flat()))
  return contents
}

/** The same segments, the sequences of which go on from one to the next. */
function segmentsOf(segments: ReadonlyArray<ReadonlyArray<readonly JournalRecord[]>>) {
  let next = 1
  return segments.map((segment) => {
    const bytes = segmentOf(segment, next)
    next += segment.length
    return bytes
  })
}

const someSegments = fc.array(
  fc.array(fc.array(record, { minLength: 1, maxLength: 3 }), { maxLength: 4 }),
  {
    minLength: 1,
    maxLength: 4,
  },
)

test('SegmentReader reads segments together as one that holds all they hold', () => {
  const runs = roundsOf(400)
  let together = 0
  fc.assert(
    fc.property(someSegments, windows, (segments, window) => {
      const files = segmentsOf(segments)
      const reader = new SegmentReader(diskOfAll(files), window)
      const content = reader.read(filesOf(files))
      const read = content.segments.length
      assert.deepEqual(
        content.segments,
        filesOf(files)
          .slice(0, read)
          .map(({ segment }) => segment),
      )
      if (window === undefined) assert.equal(read, files.length)
      if (read > 1) together += 1
      const { segment, ...contents } = contentsOf(content)
      assert.equal(segment, read)
      assert.deepEqual(contents, joined(segments.slice(0, read)))
    }),
    { numRuns: runs },
  )
  assert.ok(together > runs / 8, `${together} times segments were read together`)
})

test('SegmentReader leaves a damaged segment, and those after it, to be read alone', () => {
  fc.assert(
    fc.property(someSegments, fc.nat(), bitPlace, (segments, which, { at, bit }) => {
      const files = segmentsOf(segments)
      const damaged = which % files.length
      files[damaged][at] ^= 1 << bit
      const content = new SegmentReader(diskOfAll(files)).read(filesOf(files))
      const { segment: _, ...contents } = contentsOf(content)
      const read = content.segments.length
      if (read === 1) {
        const { segment: _, ...alone } = replayedContents(files[0])
        assert.deepEqual(contents, alone)
        return
      }
      // A bit behind the frames may not count.
      if (read <= damaged) assert.equal(read, damaged)
      assert.deepEqual(contents, joined(segments.slice(0, read)))
    }),
    { numRuns: roundsOf(400) },
  )
})

test('SegmentReader reads those before one that the disk does not give, which fails as the first', () => {
  const put = (value: number): JournalRecord => ({
    kind: 'samples',
    batch: batchOf([[1, value, value]], []),
  })
  const files = segmentsOf([[[put(1)]], [[put(2)]], [[put(3)]]])
  const disk = diskOfAll(files)
  const failing: Disk = {
    ...disk,
    readPart(path, position, room) {
      if (path.endsWith('3.seg')) throw Object.assign(new Error('i/o error'), { code: 'EIO' })
      return disk.readPart(path, position, room)
    },
  }
  const reader = new SegmentReader(failing)
  assert.deepEqual(reader.read(filesOf(files)).segments, [1, 2])
  assert.throws(() => reader.read(filesOf(files).slice(2)), { code: 'EIO' })
})

test('SegmentReader takes segments with very many texts or removals one by one', () => {
  const texts = Array.from({ length: 40_000 }, (_, time) => [1, time, 'x'] as const)
  const numbers: Row[] = [[2, 1, 1]]
  const segmentWith = (rows: readonly Row[], first: number) => {
    const memory = viewMemory(new SharedArrayBuffer(4 * 1024 * 1024))
    const { bytes } = memory
    writeSegmentHeader(bytes, { number: 1, salt: SALT, firstSequence: first })
    const start = SEGMENT_HEADER_BYTES + FRAME_HEADER_BYTES
    const sized = sizeRecord({ kind: 'samples', batch: batchOf(rows, []) })
    const end = writeRecord(memory, start, sized)
    writeDirectory(bytes, start, end)
    const payloadBytes = end + DIRECTORY_BYTES - start
    const fileOffset = SEGMENT_HEADER_BYTES
    finishFrame(bytes, fileOffset, { salt: SALT, sequence: first, payloadBytes, fileOffset })
    return bytes
  }
  const f = (segments: ReadonlyArray<readonly Row[]>, want: readonly number[]) => {
    const files = segments.map((rows, index) => segmentWith(rows, index + 1))
    const content = new SegmentReader(diskOfAll(files)).read(filesOf(files))
    assert.deepEqual(content.segments, want)
    assert.equal(content.lastSequence, want.length)
  }
  f([texts, numbers, texts, numbers], [1, 2, 3, 4])
  f([texts, texts, texts], [1, 2])
  f([numbers, texts, texts, numbers], [1, 2])
})
