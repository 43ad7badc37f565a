/**
 * The directory at the end of a frame's payload: which streams and times the frame is about, stated a
 * second time, so that damage to the records can still be named.
 */
import { crc32 } from 'node:zlib'
import { type JournalRecord, readRecords } from './record.ts'

/** The length of a directory. */
export const DIRECTORY_BYTES = 88

const HANDLES_MAX = 16
const HANDLES_START = 24

/** What a frame is about. */
export interface Directory {
  readonly handles: readonly number[]
  /** False when the frame is about more streams than these. */
  readonly hasAllHandles: boolean
  readonly firstTime: number
  readonly lastTime: number
}

/** Sums up the records that lie before `at` and writes the directory there. */
export function writeDirectory(bytes: Uint8Array, recordsStart: number, at: number): void {
  const directory = describeRecords(bytes.subarray(recordsStart, at))
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, DIRECTORY_BYTES)
  new Uint8Array(bytes.buffer, bytes.byteOffset + at, DIRECTORY_BYTES).fill(0)
  view.setUint32(0, directory.handles.length + (directory.hasAllHandles ? 0 : 1), true)
  view.setFloat64(8, directory.firstTime, true)
  view.setFloat64(16, directory.lastTime, true)
  directory.handles.forEach((handle, index) => {
    view.setUint32(HANDLES_START + index * 4, handle, true)
  })
  view.setUint32(4, checkOf(bytes, at), true)
}

/** The directory at `at`, or undefined when it does not check either. */
export function readDirectory(bytes: Uint8Array, at: number): Directory | undefined {
  if (at < 0 || at + DIRECTORY_BYTES > bytes.length) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, DIRECTORY_BYTES)
  if (view.getUint32(4, true) !== checkOf(bytes, at)) return undefined
  const count = view.getUint32(0, true)
  const kept = Math.min(count, HANDLES_MAX)
  return {
    handles: Array.from({ length: kept }, (_, index) =>
      view.getUint32(HANDLES_START + index * 4, true),
    ),
    hasAllHandles: count <= HANDLES_MAX,
    firstTime: view.getFloat64(8, true),
    lastTime: view.getFloat64(16, true),
  }
}

/** The checksum of everything but itself. */
function checkOf(bytes: Uint8Array, at: number): number {
  return crc32(bytes.subarray(at + 8, at + DIRECTORY_BYTES), crc32(bytes.subarray(at, at + 4)))
}

function describeRecords(payload: Uint8Array): Directory {
  const handles = new Set<number>()
  let hasAllHandles = true
  let firstTime = Number.POSITIVE_INFINITY
  let lastTime = Number.NEGATIVE_INFINITY
  const name = (handle: number): void => {
    if (handles.has(handle)) return
    if (handles.size < HANDLES_MAX) handles.add(handle)
    else hasAllHandles = false
  }
  readRecords(payload, ({ batch }: JournalRecord) => {
    let previous = 0
    for (let index = 0; index < batch.count; index += 1) {
      const time = batch.times[index]
      if (time < firstTime) firstTime = time
      if (time > lastTime) lastTime = time
      if (hasAllHandles && batch.handles[index] !== previous) {
        previous = batch.handles[index]
        name(previous)
      }
    }
    for (const removal of batch.removals) {
      name(removal.handle)
      firstTime = Math.min(firstTime, removal.from)
      lastTime = Math.max(lastTime, removal.until - 1)
    }
  })
  return { handles: [...handles], hasAllHandles, firstTime, lastTime }
}
