import { basename } from 'node:path'
import { freeBytes } from '../../../base/plain.ts'
import type { SampleBatch } from '../../ports/sample-port.ts'
import type { Disk } from '../disk/disk.ts'
import { applyRecord } from '../head/apply-record.ts'
import { HeadGeneration } from '../head/head-generation.ts'
import { type Replay, sequencesOf } from '../head/replay.ts'
import {
  type CleanSegment,
  CleanSegmentReader,
  type WindowLengths,
} from '../journal/clean-segment.ts'
import { describeDamage } from '../journal/damage.ts'
import {
  type RecordPlace,
  readRecord,
  scanRecords,
  scanRemovalsAndTexts,
} from '../journal/record.ts'
import { scanSegment } from '../journal/scan.ts'
import { type SegmentColumns, type SegmentPlaces, SortedSamples } from './sorted-samples.ts'

/**
 * Most texts and removals of further segments that are sealed with the first one. Each takes more memory than a number.
 */
const OTHERS_MAX = 65_536

/** Long puts make longer segments than usual: eight of the usual length are read together at most. */
const BYTES_MAX = 8 * 32 * 1024 * 1024

/** A segment to be read. */
export interface SegmentFile {
  readonly path: string
  readonly segment: number
}

/** What segments hold that follow each other, by stream, as if they were one; valid until the next are read. */
export interface SegmentContent extends Pick<Replay, 'lastSequence' | 'damages'> {
  readonly segments: readonly number[]
  /** The samples of most streams. */
  readonly sorted: SortedSamples
  /** Those of streams with removals or texts, and everything else that was written. */
  readonly generation: HeadGeneration
}

/** Reads segments to be sealed, some at once, in memory that it keeps for the next ones. */
export class SegmentReader {
  readonly #disk: Disk
  readonly #clean: CleanSegmentReader
  readonly #sorted = new SortedSamples()

  constructor(disk: Disk, window?: WindowLengths) {
    this.#disk = disk
    this.#clean = new CleanSegmentReader(disk, window)
  }

  /** Lets go of the memory that is kept. */
  release(): void {
    this.#sorted.clear()
    this.#sorted.release()
    this.#clean.release()
  }

  /**
   * Reads as many of the given segments as can be sealed together, at least the first. Segments are read twice in
   * pieces, which takes half of the memory. If the first cannot be read in pieces, it is read alone, as a whole.
   */
  read(files: readonly SegmentFile[]): SegmentContent {
    for (let together = files; together.length > 0; ) {
      const content = this.#readInPieces(together)
      if (typeof content !== 'number') return content
      together = together.slice(0, content)
    }
    return this.#readWhole(files[0])
  }

  /** What the segments hold; where one cannot be read so, or not with those before it, how many these are. */
  #readInPieces(files: readonly SegmentFile[]): SegmentContent | number {
    const segments = files.map(({ segment }) => segment)
    const grouped = this.#startOver(segments)
    const counted: CleanSegment[] = []
    let others = 0
    let bytes = 0
    for (const { path } of files) {
      let inThis = 0
      const count = () =>
        this.#eachRecord(path, (seen, place) => {
          inThis += place.removalCount + place.textCount
          if (place.kind === 'specials') inThis += place.count
          countRecord(seen, place, grouped)
        })
      // What cannot be read must not hold up those before it; as the first one it fails.
      const clean = counted.length === 0 ? count() : undefinedIfUnreadable(count)
      if (clean === undefined) return counted.length
      bytes += clean.end
      if (counted.length > 0) others += inThis
      if (counted.length > 0 && (others > OTHERS_MAX || bytes > BYTES_MAX)) return counted.length
      counted.push(clean)
    }
    for (const [index, { path }] of files.entries()) {
      const put = this.#eachRecord(path, (seen, place) => putRecord(seen, place, grouped))
      if (put?.end !== counted[index].end) return index
    }
    return { segments, ...grouped, damages: [], lastSequence: counted.at(-1)?.lastSequence }
  }

  #eachRecord(
    path: string,
    onRecord: (seen: SegmentMemory, place: RecordPlace) => void,
  ): CleanSegment | undefined {
    let memory: SegmentMemory | undefined
    return this.#clean.read(path, (records) => {
      if (memory?.memory !== records.buffer) memory = viewSegment(records.buffer)
      const seen = memory
      scanRecords(records, (place) => onRecord(seen, place))
    })
  }

  #readWhole({ path, segment }: SegmentFile): SegmentContent {
    const grouped = this.#startOver([segment])
    const bytes = this.#disk.readWhole(path)
    const scan = scanSegment(bytes)
    const memory = viewSegment(bytes.buffer)
    for (const onRecord of [countRecord, putRecord]) {
      for (const { records } of scan.frames) {
        scanRecords(records, (place) => onRecord(memory, place, grouped))
      }
    }
    const file = basename(path)
    const damages = scan.damages.map((found) => ({
      damage: describeDamage(file, found),
      bytes: bytes.slice(found.offset, found.offset + found.bytes),
    }))
    const { lastSequence } = sequencesOf(scan)
    freeBytes(bytes)
    return { segments: [segment], ...grouped, damages, lastSequence }
  }

  #startOver(segments: readonly number[]): GroupedSamples {
    this.#sorted.clear()
    return { sorted: this.#sorted, generation: new HeadGeneration(segments[segments.length - 1]) }
  }
}

/** What is read, undefined where the disk does not give it. */
function undefinedIfUnreadable<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error
    return undefined
  }
}

type GroupedSamples = Pick<SegmentContent, 'sorted' | 'generation'>

/** Memory that holds records, and the columns that it is seen as. */
interface SegmentMemory {
  readonly memory: ArrayBufferLike
  readonly columns: SegmentColumns
}

function viewSegment(memory: ArrayBufferLike): SegmentMemory {
  const numbers = new Float64Array(memory, 0, memory.byteLength >> 3)
  const handles = new Uint32Array(memory, 0, memory.byteLength >> 2)
  return { memory, columns: { times: numbers, numbers, handles } }
}

/** Prepares for a record that is put later. */
function countRecord(seen: SegmentMemory, place: RecordPlace, { sorted }: GroupedSamples): void {
  if (place.kind === 'samples') sorted.count(seen.columns, placesOf(place))
  excludeStreams(seen, place, sorted)
}

/** Puts a record; all of the segment's were counted before. */
function putRecord(
  { memory, columns }: SegmentMemory,
  place: RecordPlace,
  { sorted, generation }: GroupedSamples,
): void {
  const leftOut = place.kind === 'samples' ? sorted.put(columns, placesOf(place)) : place.count
  if (leftOut === 0 && place.removalCount === 0) return
  const { kind, batch } = readRecord(memory, place)
  const left = leftOut === batch.count ? batch : pickExcluded(batch, sorted, leftOut)
  applyRecord(generation, { kind, batch: left })
}

function placesOf({ timesAt, numbersAt, handlesAt, count }: RecordPlace): SegmentPlaces {
  return { timesAt: timesAt >> 3, numbersAt: numbersAt >> 3, handlesAt: handlesAt >> 2, count }
}

/** Leaves out the streams that need more than their samples in order. */
function excludeStreams(
  { memory, columns }: SegmentMemory,
  place: RecordPlace,
  sorted: SortedSamples,
): void {
  if (place.kind === 'forget') {
    const { handlesAt, count } = placesOf(place)
    for (let at = handlesAt; at < handlesAt + count; at += 1) sorted.exclude(columns.handles[at])
  }
  if (place.removalCount === 0 && place.textCount === 0) return
  scanRemovalsAndTexts(memory, place, (handle) => sorted.exclude(handle))
}

/** The part of a batch that is about streams left out, all of its removals among it. */
function pickExcluded(batch: SampleBatch, sorted: SortedSamples, count: number): SampleBatch {
  const handles = new Uint32Array(count)
  const times = new Float64Array(count)
  const numbers = new Float64Array(count)
  const texts = batch.texts === undefined ? undefined : new Array<string | undefined>(count)
  let at = 0
  for (let index = 0; index < batch.count; index += 1) {
    if (!sorted.isExcluded(batch.handles[index])) continue
    handles[at] = batch.handles[index]
    times[at] = batch.times[index]
    numbers[at] = batch.numbers[index]
    if (texts !== undefined) texts[at] = batch.texts?.[index]
    at += 1
  }
  return { count, handles, times, numbers, texts, removals: batch.removals }
}
