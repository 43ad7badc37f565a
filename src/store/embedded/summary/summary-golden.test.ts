import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { DamagedBytes } from '../chunk/index.ts'
import { readSummary, summarizeChunk } from './summary-record.ts'

const SEED = 0x12345678

/** A record as version 1 would have written it, whose checksum did not cover its place. */
function asVersion1(record: Uint8Array): Buffer {
  const bytes = Buffer.concat([Uint8Array.of(1), record.subarray(1)])
  bytes.writeUInt32LE(crc32(bytes.subarray(0, -4)), bytes.length - 4)
  return bytes
}

/** As in chunk-golden.test.ts: a change here means that stored summaries can no longer be read. */
function assertGolden(hex: string, values: ReadonlyArray<number | string>, first: unknown[]): void {
  const columns = {
    count: values.length,
    times: Float64Array.from(values, (_, index) => 1_700_000_000_000 + index * 10_000),
    numbers: Float64Array.from(values, (value) => (typeof value === 'number' ? value : 0)),
    texts: values.map((value) => (typeof value === 'string' ? value : undefined)),
  }
  const written = summarizeChunk(columns, 1_000_000, SEED)
  const bytes = Buffer.from(hex, 'hex')
  assert.deepEqual(bytes[0] === 1 ? asVersion1(written) : Buffer.from(written), bytes)
  const table = readSummary(bytes, SEED)
  if (bytes[0] > 1) assert.throws(() => readSummary(bytes, SEED + 1), DamagedBytes)
  assert.ok(table !== undefined)
  assert.deepEqual(
    [table.length, table.count[0], table.first[0], table.last[0], table.min[0], table.max[0]],
    first,
  )
}

test('summaries of version 2 keep their bytes', () => {
  assertGolden(
    '0216010780a0abfef962c801904ee0ec780101026f6e000008320000820000000000248c01000000801fc2e1',
    Array.from({ length: 200 }, (_, index) => (index % 2 === 1 ? 'on' : index)),
    [1, 200, 0, 'on', 0, 198],
  )
})

test('summaries of version 1 stay readable', () => {
  const f = assertGolden
  const length = 200
  f(
    '0115030380a0abfef9629802e802a001904e904e000275c001b80c0dfe005c86800194e5113e8c002560' +
      '00ba7b500d1d608ef201308a893c0651007443ece8',
    Array.from({ length: 800 }, (_, index) => ((index * 37) % 101) / 100),
    [3, 280, 0, 0.21, 0, 1],
  )
  f(
    '0142010380a0abfef962c801904ef0ba7900100000000000000000555555555595504000000000000000' +
      '005555555555955040025555555555e9b9400000000000ff543d002008001b13f06d',
    Array.from({ length }, (_, index) => index / 3),
    [1, 200, 0, 199 / 3, 0, 199 / 3],
  )
  f(
    '0116010780a0abfef962c801904ee0ec780101026f6e000008320000820000000000248c010000004899' + 'bb75',
    Array.from({ length }, (_, index) => (index % 2 === 1 ? 'on' : index)),
    [1, 200, 0, 'on', 0, 198],
  )
})
