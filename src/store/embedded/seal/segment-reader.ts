import { basename } from 'node:path'
import { freeBytes } from '../../../base/plain.ts'
import type { SampleBatch } from '../../sample-port.ts'
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

/** What a segment holds, by stream; valid until the next one is read. */
export interface SegmentContent extends Pick<Replay, 'lastSequence' | 'damages'> {
  readonly segment: number
  /** The samples of most streams. */
  readonly sorted: SortedSamples
  /** Those of streams with removals or texts, and everything else that was written. */
  readonly generation: HeadGeneration
}

/** Reads segments to be sealed, one after the other, in memory that it keeps for the next one. */
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

  /** Reads a segment: twice in pieces, which takes half of the memory, or whole where that is not to be had. */
  read(path: string, segment: number): SegmentContent {
    return this.#readInPieces(path, segment) ?? this.#readWhole(path, segment)
  }

  #readInPieces(path: string, segment: number): SegmentContent | undefined {
    const grouped = this.#startOver(segment)
    let memory: SegmentMemory | undefined
    const eachFrame = (onRecord: typeof countRecord): CleanSegment | undefined =>
      this.#clean.read(path, (records) => {
        if (memory?.memory !== records.buffer) memory = viewSegment(records.buffer)
        const seen = memory
        scanRecords(records, (place) => onRecord(seen, place, grouped))
      })
    const counted = eachFrame(countRecord)
    if (counted === undefined) return undefined
    const put = eachFrame(putRecord)
    if (put?.end !== counted.end) return undefined
    return { segment, ...grouped, damages: [], lastSequence: counted.lastSequence }
  }

  #readWhole(path: string, segment: number): SegmentContent {
    const grouped = this.#startOver(segment)
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
    return { segment, ...grouped, damages, lastSequence }
  }

  #startOver(segment: number): GroupedSamples {
    this.#sorted.clear()
    return { sorted: this.#sorted, generation: new HeadGeneration(segment) }
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
