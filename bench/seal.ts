/**
 * The cost of sealing: `node bench/seal.ts [segments] [streams] [together] [digits]`. Seals journal segments in this
 * thread, one by one or `together` at a time. The segments hold puts of 1,000 samples, ten of each of 100 streams unless
 * given otherwise. Values have two decimals or 17 digits. Prints the processor time of this thread per
 * 1,000 samples, and bytes per sample at the end.
 */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { realDisk } from '../src/store/embedded/disk/real-disk.ts'
import { DIRECTORY_BYTES, writeDirectory } from '../src/store/embedded/journal/directory.ts'
import { FRAME_HEADER_BYTES, finishFrame, frameBytes } from '../src/store/embedded/journal/frame.ts'
import { sizeRecord, viewMemory, writeRecord } from '../src/store/embedded/journal/record.ts'
import {
  SEGMENT_HEADER_BYTES,
  segmentName,
  writeSegmentHeader,
} from '../src/store/embedded/journal/segment.ts'
import { ChunkTable } from '../src/store/embedded/seal/chunk-table.ts'
import { openSamplesFile } from '../src/store/embedded/seal/open-samples-file.ts'
import { SegmentReader } from '../src/store/embedded/seal/segment-reader.ts'
import { SegmentSealer } from '../src/store/embedded/seal/segment-sealer.ts'
import { TouchedTable } from '../src/store/embedded/seal/touched-table.ts'
import { longValueAt, longValues } from './load/long-values.ts'
import { LONG_VALUE_MARK, Walk } from './load/put-template.ts'

const SEGMENT_BYTES = 32 * 1024 * 1024
const SEGMENTS = Number(process.argv[2] ?? 8)
const STREAMS = Number(process.argv[3] ?? 100)
const TOGETHER = Number(process.argv[4] ?? 1)
const IS_LONG = process.argv[5] === 'digits'
const SAMPLES = 1_000
const STEP_MS = 10_000
const START = 1_700_000_000_000

const longNumbers = Float64Array.from({ length: 1 << 15 }, (_, index) => {
  const at = longValueAt(index)
  return Number(Buffer.from(longValues.subarray(at, at + LONG_VALUE_MARK.length)).toString())
})
const walks = Array.from({ length: STREAMS }, (_, index) => new Walk(index + 1))
let puts = 0

function nextRecord() {
  const first = puts++ * SAMPLES
  const indexes = Array.from({ length: SAMPLES }, (_, index) => first + index)
  const numberAt = (index: number) =>
    IS_LONG
      ? longNumbers[((index % STREAMS) * 31 + Math.floor(index / STREAMS)) % longNumbers.length]
      : walks[index % STREAMS].next() / 100
  const batch = {
    count: SAMPLES,
    handles: Uint32Array.from(indexes, (index) => 1 + (index % STREAMS)),
    times: Float64Array.from(indexes, (index) => START + Math.floor(index / STREAMS) * STEP_MS),
    numbers: Float64Array.from(indexes, numberAt),
    removals: [],
  }
  return sizeRecord({ kind: 'samples', batch })
}

/** Writes a full segment of one put a frame; returns its samples. */
function writeSegment(path: string, number: number): number {
  const memory = viewMemory(new SharedArrayBuffer(SEGMENT_BYTES))
  const { bytes } = memory
  const [salt, firstPut] = [number, puts]
  writeSegmentHeader(bytes, { number, salt, firstSequence: puts + 1 })
  let at = SEGMENT_HEADER_BYTES
  for (;;) {
    const next = nextRecord()
    const payloadBytes = next.bytes + DIRECTORY_BYTES
    const recordsStart = at + FRAME_HEADER_BYTES
    writeDirectory(bytes, recordsStart, writeRecord(memory, recordsStart, next))
    finishFrame(bytes, at, { salt, sequence: puts, payloadBytes, fileOffset: at })
    at += frameBytes(payloadBytes)
    if (at + frameBytes(payloadBytes) > SEGMENT_BYTES) break
  }
  writeFileSync(path, bytes)
  return (puts - firstPut) * SAMPLES
}

const folder = mkdtempSync(join(tmpdir(), 'weir-seal-'))
try {
  const file = join(folder, 'samples.db')
  const db = openSamplesFile(file)
  const reader = new SegmentReader(realDisk)
  const sealer = new SegmentSealer(new ChunkTable(db), new TouchedTable(db), () => false)
  let total = 0
  for (let first = 1; first <= SEGMENTS; first += TOGETHER) {
    const files = Array.from({ length: Math.min(TOGETHER, SEGMENTS + 1 - first) }, (_, index) => {
      const segment = first + index
      return { path: join(folder, segmentName(segment)), segment }
    })
    const samples = files.reduce((sum, { path, segment }) => sum + writeSegment(path, segment), 0)
    const before = process.threadCpuUsage()
    sealer.seal(reader.read(files))
    for (const { path } of files) realDisk.unlink(path)
    const { user, system } = process.threadCpuUsage(before)
    total += samples
    console.log(`segment ${first}: ${(((user + system) * 1_000) / samples).toFixed(0)} µs`)
  }
  db.close()
  console.log(`${(statSync(file).size / total).toFixed(3)} B/sample`)
} finally {
  rmSync(folder, { recursive: true })
}
