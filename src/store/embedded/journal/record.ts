/**
 * The records inside a frame's payload: batches of samples with their removals, forgotten
 * streams. Pure; the layout is described in docs/format/journal.md.
 */
import { epochMs } from '../../../base/plain.ts'
import type { Removal, SampleBatch, StreamHandle } from '../../ports/sample-port.ts'
import { type PackedTexts, packTexts } from './text-packer.ts'

const KINDS = ['samples', 'floor', 'forget', 'specials'] as const
const RECORD_HEADER_BYTES = 24

/**
 * What a record does: adds samples or special values after its removals, or forgets streams. Floors were once written.
 */
type RecordKind = (typeof KINDS)[number]

/** One durable step. A forgotten stream uses handles only. */
export interface JournalRecord {
  readonly kind: RecordKind
  readonly batch: SampleBatch
}

/** A record with its texts encoded, ready to be written. */
export interface SizedRecord extends JournalRecord {
  readonly bytes: number
  readonly texts: PackedTexts
}

function alignUp(bytes: number): number {
  return Math.ceil(bytes / 8) * 8
}

/** Measures a record, so that the frame's buffer can be made large enough before writing. */
export function sizeRecord(
  { kind, batch }: JournalRecord,
  texts: PackedTexts = packTexts(batch),
): SizedRecord {
  const columns = (batch.count + batch.removals.length) * 20 + texts.count * 8 + texts.bytes
  return { kind, batch, bytes: alignUp(RECORD_HEADER_BYTES + columns), texts }
}

/** Whether a record only takes things out: it goes on when the disk is full, as it leads to room. */
export function onlyRemoves({ kind, batch }: JournalRecord): boolean {
  return kind === 'forget' || (batch.count === 0 && batch.removals.length > 0)
}

/** Memory that records are written to, seen as each kind of number: views cost more than a sample. */
interface RecordMemory {
  readonly doubles: Float64Array
  readonly words: Uint32Array
  readonly bytes: Uint8Array
}

/** The views of a memory whose length is a multiple of 8. */
export function viewMemory(memory: SharedArrayBuffer): RecordMemory {
  return {
    doubles: new Float64Array(memory),
    words: new Uint32Array(memory),
    bytes: new Uint8Array(memory),
  }
}

/** Columns up to this length are copied one by one, as a view of them would cost more. */
const COPIED_SINGLY_MAX = 16

function copyColumn(
  target: Float64Array | Uint32Array,
  at: number,
  column: Float64Array | Uint32Array,
  count: number,
): void {
  if (count > COPIED_SINGLY_MAX) {
    target.set(count === column.length ? column : column.subarray(0, count), at)
    return
  }
  for (let index = 0; index < count; index += 1) target[at + index] = column[index]
}

/** Writes a record at an 8-byte aligned offset; returns the offset after it. */
export function writeRecord(memory: RecordMemory, offset: number, record: SizedRecord): number {
  const { batch, texts } = record
  const { count, removals } = batch
  const { doubles, words, bytes } = memory
  const header = offset >>> 2
  words[header] = KINDS.indexOf(record.kind) + 1
  words[header + 1] = count
  words[header + 2] = removals.length
  words[header + 3] = texts.count
  words[header + 4] = texts.bytes
  words[header + 5] = 0
  let at = offset + RECORD_HEADER_BYTES
  copyColumn(doubles, at >>> 3, batch.times, count)
  at += count * 8
  copyColumn(doubles, at >>> 3, batch.numbers, count)
  at += count * 8
  at = writeRemovalSpans(doubles, at, removals)
  copyColumn(words, at >>> 2, batch.handles, count)
  at += count * 4
  for (const removal of removals) {
    words[at >>> 2] = removal.handle
    at += 4
  }
  if (texts.count > 0) at = writeTexts(memory, at, texts)
  const end = offset + record.bytes
  if (at < end) bytes.fill(0, at, end)
  return end
}

function writeRemovalSpans(
  doubles: Float64Array,
  at: number,
  removals: readonly Removal[],
): number {
  const first = at >>> 3
  for (let index = 0; index < removals.length; index += 1) {
    doubles[first + index] = removals[index].from
    doubles[first + removals.length + index] = removals[index].until
  }
  return at + removals.length * 16
}

function writeTexts({ words, bytes }: RecordMemory, start: number, texts: PackedTexts): number {
  let index = start >>> 2
  let at = start + texts.count * 8
  for (const part of texts.parts) {
    words.set(part.indexes, index)
    words.set(part.lengths, index + texts.count)
    bytes.set(part.bytes, at)
    index += part.indexes.length
    at += part.bytes.length
  }
  return at
}

/** Where the parts of a record lie, in bytes from the start of its buffer. */
export interface RecordPlace {
  readonly kind: RecordKind
  readonly count: number
  readonly removalCount: number
  readonly textCount: number
  readonly textBytes: number
  readonly timesAt: number
  readonly numbersAt: number
  readonly handlesAt: number
}

/**
 * Calls `onRecord` for every record of a payload, which must begin at an 8-byte aligned byteOffset
 * of its buffer; the batches are views of it. Throws when the lengths do not add up.
 */
export function readRecords(payload: Uint8Array, onRecord: (record: JournalRecord) => void): void {
  scanRecords(payload, (place) => onRecord(readRecord(payload.buffer, place)))
}

/** As readRecords(), but returns only the places of the records. */
export function scanRecords(payload: Uint8Array, onPlace: (place: RecordPlace) => void): void {
  const words = new Uint32Array(payload.buffer, payload.byteOffset, payload.length >> 2)
  for (let start = 0; start < payload.length; ) {
    if (start + RECORD_HEADER_BYTES > payload.length) throw new Error('record header is cut short')
    const word = start >> 2
    const kind = KINDS[words[word] - 1]
    if (kind === undefined) throw new Error(`record of unknown kind ${words[word]}`)
    const count = words[word + 1]
    const removalCount = words[word + 2]
    const textCount = words[word + 3]
    const textBytes = words[word + 4]
    const columns = (count + removalCount) * 20 + textCount * 8 + textBytes
    const bytes = alignUp(RECORD_HEADER_BYTES + columns)
    if (start + bytes > payload.length) throw new Error('record is longer than its frame')
    const timesAt = payload.byteOffset + start + RECORD_HEADER_BYTES
    const numbersAt = timesAt + count * 8
    const handlesAt = numbersAt + count * 8 + removalCount * 16
    onPlace({ kind, count, removalCount, textCount, textBytes, timesAt, numbersAt, handlesAt })
    start += bytes
  }
}

/** Calls `onHandle` for the stream of every removal and every text of a record. */
export function scanRemovalsAndTexts(
  memory: ArrayBufferLike,
  { handlesAt, count, removalCount, textCount }: RecordPlace,
  onHandle: (handle: number) => void,
): void {
  const textsStart = count + removalCount
  const words = new Uint32Array(memory, handlesAt, textsStart + textCount)
  for (let at = count; at < textsStart; at += 1) onHandle(words[at])
  for (let at = textsStart; at < words.length; at += 1) onHandle(words[words[at]])
}

/** The record at a place of a buffer; its batch is a view of it. */
export function readRecord(memory: ArrayBufferLike, place: RecordPlace): JournalRecord {
  const { kind, count, removalCount, textCount, textBytes, handlesAt } = place
  const times = new Float64Array(memory, place.timesAt, count)
  const numbers = new Float64Array(memory, place.numbersAt, count)
  const handles = new Uint32Array(memory, handlesAt, count)
  const spans = new Float64Array(memory, place.numbersAt + count * 8, removalCount * 2)
  const removedAt = handlesAt + count * 4
  const removals = readRemovals(spans, new Uint32Array(memory, removedAt, removalCount))
  const at = removedAt + removalCount * 4
  const texts = textCount === 0 ? undefined : readTexts({ memory, at, count, textCount, textBytes })
  return { kind, batch: { count, handles, times, numbers, texts, removals } }
}

function readRemovals(spans: Float64Array, handles: Uint32Array): Removal[] {
  return Array.from(handles, (handle, index) => ({
    handle: handle as StreamHandle,
    from: epochMs(spans[index]),
    until: epochMs(spans[handles.length + index]),
  }))
}

function readTexts(place: {
  memory: ArrayBufferLike
  at: number
  count: number
  textCount: number
  textBytes: number
}): Array<string | undefined> {
  const { memory, at, count, textCount, textBytes } = place
  const indexes = new Uint32Array(memory, at, textCount)
  const lengths = new Uint32Array(memory, at + textCount * 4, textCount)
  const bytes = Buffer.from(memory as ArrayBuffer, at + textCount * 8, textBytes)
  const texts = new Array<string | undefined>(count)
  let from = 0
  for (let index = 0; index < textCount; index += 1) {
    texts[indexes[index]] = bytes.toString('utf8', from, from + lengths[index])
    from += lengths[index]
  }
  return texts
}
