import { basename } from 'node:path'
import { freeBytes } from '../../../base/index.ts'
import type { SampleBatch } from '../../sample-port.ts'
import type { Disk } from '../disk/disk.ts'
import { applyRecord } from '../head/apply-record.ts'
import { HeadGeneration } from '../head/head-generation.ts'
import { type Replay, sequencesOf } from '../head/replay.ts'
import { describeDamage } from '../journal/damage.ts'
import {
  type RecordPlace,
  readRecord,
  scanRecords,
  scanRemovalsAndTexts,
} from '../journal/record.ts'
import { type SegmentScan, scanSegment } from '../journal/scan.ts'
import { type SegmentColumns, type SegmentPlaces, SortedSamples } from './sorted-samples.ts'

/** The memory of a longer file is not kept for the next one. */
const ROOM_BYTES_MAX = 48 * 1024 * 1024

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
  readonly #sorted = new SortedSamples()
  #room: Uint8Array = new Uint8Array(0)

  constructor(disk: Disk) {
    this.#disk = disk
  }

  /** Lets go of the memory that is kept. */
  release(): void {
    this.#sorted.clear()
    this.#sorted.release()
    this.#useRoom(new Uint8Array(0))
  }

  #useRoom(room: Uint8Array): void {
    freeBytes(this.#room)
    this.#room = room
  }

  /** Reads a whole segment. */
  read(path: string, segment: number): SegmentContent {
    if (this.#room.length > ROOM_BYTES_MAX) this.#useRoom(new Uint8Array(0))
    const bytes = this.#disk.readWhole(path, this.#room)
    if (bytes.buffer !== this.#room.buffer) this.#useRoom(bytes)
    const scan = scanSegment(bytes)
    const generation = new HeadGeneration(segment)
    const sorted = this.#sorted
    sorted.clear()
    groupByStream(bytes.buffer, scan, { sorted, generation })
    const file = basename(path)
    const damages = scan.damages.map((found) => ({
      damage: describeDamage(file, found),
      // A copy, as the next segment is read over it.
      bytes: bytes.slice(found.offset, found.offset + found.bytes),
    }))
    return { segment, sorted, generation, damages, lastSequence: sequencesOf(scan).lastSequence }
  }
}

/** A segment's memory, and the columns that it is seen as. */
interface SegmentMemory {
  readonly memory: ArrayBufferLike
  readonly columns: SegmentColumns
}

function groupByStream(
  memory: ArrayBufferLike,
  { frames }: SegmentScan,
  { sorted, generation }: Pick<SegmentContent, 'sorted' | 'generation'>,
): void {
  const numbers = new Float64Array(memory, 0, memory.byteLength >> 3)
  const handles = new Uint32Array(memory, 0, memory.byteLength >> 2)
  const columns: SegmentColumns = { times: numbers, numbers, handles }
  for (const frame of frames) {
    scanRecords(frame.records, (place) => {
      if (place.kind === 'samples') sorted.count(columns, placesOf(place))
      excludeStreams({ memory, columns }, place, sorted)
    })
  }
  for (const frame of frames) {
    scanRecords(frame.records, (place) => {
      const leftOut = place.kind === 'samples' ? sorted.put(columns, placesOf(place)) : place.count
      if (leftOut === 0 && place.removalCount === 0) return
      const { kind, batch } = readRecord(memory, place)
      const left = leftOut === batch.count ? batch : pickExcluded(batch, sorted, leftOut)
      applyRecord(generation, { kind, batch: left })
    })
  }
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
