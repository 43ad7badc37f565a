/**
 * The records inside a frame's payload: batches of samples with their removals, floors, forgotten
 * streams. Pure; the layout is told in docs/format/journal.md.
 */
import { epochMs } from '../../../base/index.ts'
import type { Removal, SampleBatch, StreamHandle } from '../../sample-port.ts'

const KINDS = ['samples', 'floor', 'forget'] as const
const RECORD_HEADER_BYTES = 24

/** What a record does: adds samples after its removals, raises floors, or forgets streams. */
export type RecordKind = (typeof KINDS)[number]

/** One durable step. A floor uses handles and times only, a forgotten stream handles only. */
export interface JournalRecord {
  readonly kind: RecordKind
  readonly batch: SampleBatch
}

/** A record with its texts counted, ready to be written. */
export interface SizedRecord extends JournalRecord {
  readonly bytes: number
  readonly textCount: number
  readonly textBytes: number
}

function alignUp(bytes: number): number {
  return Math.ceil(bytes / 8) * 8
}

/** Measures a record, so that the frame's buffer can be made large enough before writing. */
export function sizeRecord(record: JournalRecord): SizedRecord {
  const { count, removals, texts } = record.batch
  let textCount = 0
  let textBytes = 0
  if (texts !== undefined) {
    for (let index = 0; index < count; index += 1) {
      const text = texts[index]
      if (text === undefined) continue
      textCount += 1
      textBytes += Buffer.byteLength(text, 'utf8')
    }
  }
  const columns = count * 20 + removals.length * 20 + textCount * 8 + textBytes
  return { ...record, bytes: alignUp(RECORD_HEADER_BYTES + columns), textCount, textBytes }
}

/** Writes a record at an 8-byte aligned offset; returns the offset after it. */
export function writeRecord(memory: ArrayBufferLike, offset: number, record: SizedRecord): number {
  const { batch, textCount, textBytes } = record
  const { count, removals } = batch
  const header = new Uint32Array(memory, offset, 6)
  header[0] = KINDS.indexOf(record.kind) + 1
  header[1] = count
  header[2] = removals.length
  header[3] = textCount
  header[4] = textBytes
  header[5] = 0
  let at = offset + RECORD_HEADER_BYTES
  new Float64Array(memory, at, count).set(batch.times.subarray(0, count))
  at += count * 8
  new Float64Array(memory, at, count).set(batch.numbers.subarray(0, count))
  at += count * 8
  if (removals.length > 0) at = writeRemovalSpans(memory, at, removals)
  new Uint32Array(memory, at, count).set(batch.handles.subarray(0, count))
  at += count * 4
  if (removals.length > 0) {
    new Uint32Array(memory, at, removals.length).set(removals.map((removal) => removal.handle))
    at += removals.length * 4
  }
  if (textCount > 0) at = writeTexts(memory, at, record)
  const end = offset + record.bytes
  new Uint8Array(memory, at, end - at).fill(0)
  return end
}

function writeRemovalSpans(memory: ArrayBufferLike, at: number, removals: readonly Removal[]) {
  const spans = new Float64Array(memory, at, removals.length * 2)
  removals.forEach((removal, index) => {
    spans[index] = removal.from
    spans[removals.length + index] = removal.until
  })
  return at + spans.byteLength
}

function writeTexts(memory: ArrayBufferLike, start: number, record: SizedRecord): number {
  const { textCount, textBytes, batch } = record
  const indexes = new Uint32Array(memory, start, textCount)
  const lengths = new Uint32Array(memory, start + textCount * 4, textCount)
  const bytes = Buffer.from(memory as ArrayBuffer, start + textCount * 8, textBytes)
  let done = 0
  let at = 0
  for (let index = 0; index < batch.count; index += 1) {
    const text = batch.texts?.[index]
    if (text === undefined) continue
    indexes[done] = index
    lengths[done] = bytes.write(text, at, 'utf8')
    at += lengths[done]
    done += 1
  }
  return start + textCount * 8 + textBytes
}

/**
 * Calls `onRecord` for every record of a payload, which must begin at an 8-byte aligned byteOffset
 * of its buffer; the batches are views of it. Throws when the lengths do not add up.
 */
export function readRecords(payload: Uint8Array, onRecord: (record: JournalRecord) => void): void {
  let at = 0
  while (at < payload.length) at = readRecord(payload, at, onRecord)
}

function readRecord(
  payload: Uint8Array,
  start: number,
  onRecord: (record: JournalRecord) => void,
): number {
  if (start + RECORD_HEADER_BYTES > payload.length) throw new Error('record header is cut short')
  const memory = payload.buffer
  const base = payload.byteOffset + start
  const [kindCode, count, removalCount, textCount, textBytes] = new Uint32Array(memory, base, 6)
  const kind = KINDS[kindCode - 1]
  if (kind === undefined) throw new Error(`record of unknown kind ${kindCode}`)
  const columns = (count + removalCount) * 20 + textCount * 8 + textBytes
  const bytes = alignUp(RECORD_HEADER_BYTES + columns)
  if (start + bytes > payload.length) throw new Error('record is longer than its frame')
  let at = base + RECORD_HEADER_BYTES
  const times = new Float64Array(memory, at, count)
  at += count * 8
  const numbers = new Float64Array(memory, at, count)
  at += count * 8
  const spans = new Float64Array(memory, at, removalCount * 2)
  at += removalCount * 16
  const handles = new Uint32Array(memory, at, count)
  at += count * 4
  const removals = readRemovals(spans, new Uint32Array(memory, at, removalCount))
  at += removalCount * 4
  const texts = textCount === 0 ? undefined : readTexts({ memory, at, count, textCount, textBytes })
  onRecord({ kind, batch: { count, handles, times, numbers, texts, removals } })
  return start + bytes
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
