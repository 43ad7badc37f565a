import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import type { SampleColumns } from '../../ports/sample-port.ts'
import { type ChunkOwner, chunkInfo, decodeChunk, encodeChunk } from './chunk.ts'

/**
 * Bytes that earlier versions have written. A change here means that stored data can no longer be
 * read: give the format a new version number, keep reading the old one, and add lines instead.
 */
function every10s(values: ReadonlyArray<number | string>): SampleColumns {
  const hasTexts = values.some((value) => typeof value === 'string')
  return {
    count: values.length,
    times: Float64Array.from(values, (_, index) => 1_700_000_000_000 + index * 10_000),
    numbers: Float64Array.from(values, (value) => (typeof value === 'number' ? value : 0)),
    texts: hasTexts
      ? values.map((value) => (typeof value === 'string' ? value : undefined))
      : undefined,
  }
}

function noise(): number[] {
  let state = 3
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  return Array.from({ length: 100 }, () => (next() < 0.8 ? 0 : next() < 0.5 ? 1 : 70_000))
}

function assertDecodes(hex: string, columns: SampleColumns): void {
  const decoded = decodeChunk(Buffer.from(hex, 'hex'))
  assert.deepEqual(
    { ...decoded, texts: decoded.texts ?? [] },
    { ...columns, texts: columns.texts ?? [] },
  )
}

/** Takes three bytes in a chunk. */
const OWNER = { stream: 70_000, isRun: false }

/** A chunk as version 1 would have written it, which named no stream. */
function asVersion1(chunk: Uint8Array): Buffer {
  const bytes = Buffer.concat([Uint8Array.of(1, chunk[1]), chunk.subarray(5)])
  bytes.writeUInt32LE(crc32(bytes.subarray(0, -4)), bytes.length - 4)
  return bytes
}

function assertGolden1(hex: string, columns: SampleColumns): void {
  assertDecodes(hex, columns)
  assert.equal(asVersion1(encodeChunk(columns, OWNER)).toString('hex'), hex)
}

function assertGolden2(hex: string, columns: SampleColumns, owner: ChunkOwner): void {
  assertDecodes(hex, columns)
  assert.equal(Buffer.from(encodeChunk(columns, owner)).toString('hex'), hex)
  assert.deepEqual(chunkInfo(Buffer.from(hex, 'hex')).owner, owner)
}

test('chunks of version 2 keep their bytes', () => {
  const f = assertGolden2
  f(
    '0202f0a2040480a0abfef962b0ea0102b22101000002038a0100bde438a9',
    every10s([21.37, 21.38, 21.36, 21.4]),
    OWNER,
  )
  f(
    '0204010309bd85060905000302074a3292ac06000200007bf7d737',
    {
      count: 3,
      times: Float64Array.of(-5, 1_000, 99_000),
      numbers: Float64Array.of(1, 1, 1),
      texts: undefined,
    },
    { stream: 1, isRun: true },
  )
  f(
    '0203f0a2040480a0abfef962b0ea010002040100000102056f6e6f666602010000020209000200009d202965',
    every10s(['on', 1, 'off', 'on']),
    OWNER,
  )
})

test('chunks of version 1 stay readable', () => {
  const f = assertGolden1
  f('01020480a0abfef962b0ea0102b22101000002038a010024c0e516', every10s([21.37, 21.38, 21.36, 21.4]))
  f('01000309bd85060905000302074a3292ac060002000068c59bd4', {
    count: 3,
    times: Float64Array.of(-5, 1_000, 99_000),
    numbers: Float64Array.of(1, 1, 1),
    texts: undefined,
  })
  f(
    '01020380a0abfef962a09c01100207550015020755401502075540150207554015020755401502075540' +
      '1500d530e502063ff00320071344',
    every10s([1 / 3, 2 / 3, 5e-324]),
  )
  f(
    '01030480a0abfef962b0ea010002040100000102056f6e6f666602010000020209000200004b4ce088',
    every10s(['on', 1, 'off', 'on']),
  )
  f('01030180a0abfef96200010104000200d80200eb1b4c2e', every10s(['\ud800']))
  f(
    '01026480a0abfef962b0b63c000001000f041401d42ae004548193666bfe06da92205a0b49f2d8e02270' +
      '11b8085c042e0217818bc045006fbeb109',
    every10s(noise()),
  )
  f(
    '01022080a0abfef962f0f5120200190200020302000061000000000000000001090000000000000080f4' +
      '15ac2e',
    every10s(Array.from({ length: 32 }, (_, index) => (index === 9 ? -0 : index / 4))),
  )
})

test('chunks with zstd inside stay readable, whatever a newer zstd would write', () => {
  const squares = Array.from({ length: 400 }, (_, index) => ((index % 20) ** 2 * 37) % 101)
  assertDecodes(
    '0102900380a0abfef962f0c3f301000001015f032528b52ffd608f00dd0000a040142143440644422e07' +
      '3d4120154040122341310100f04e9d4c2a4d972da64ad3658ba9d274d962aa345db6982a4d972da64ad3' +
      '658ba9d274d962aa345db6982a4d972da64ad3658ba9d274d962aa345db6982a4d972da64ad3658ba9d2' +
      '74d962aa345db6982a4d972da64ad3658ba9d274d962aa345db698007104d05d',
    every10s(squares),
  )
})

function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

test('long chunks keep the bytes that version 1 gave them, but for their names', () => {
  const f = (hash: string, next: (random: () => number) => number) => {
    const random = randomFrom(5)
    const values = Array.from({ length: 4_001 }, () => next(random))
    const bytes = asVersion1(encodeChunk(every10s(values), OWNER))
    assertDecodes(bytes.toString('hex'), every10s(values))
    assert.equal(createHash('sha256').update(bytes).digest('hex').slice(0, 16), hash)
  }
  let walk = 2_100
  f('a9a98ee4bcc82a05', (random) => {
    walk += Math.floor(random() * 7) - 3
    return walk / 100
  })
  f('71fb3c70552379ea', (random) => Math.floor(random() * 40) / 16)
  f('d8c863030c02489a', (random) => Math.floor(random() * 2 ** 31))
  f('96021d2e3783b8ce', (random) => Math.floor((random() - 0.5) * 2 ** 50))
  let slope = 0
  f('ab64a755d46f5778', (random) => {
    slope += 100_000 + Math.floor(random() * 300)
    return slope
  })
  f('17f168696f6a1c8c', (random) => (random() < 0.03 ? -0 : Math.floor(random() * 1_000) / 10))
  f('566214eb6bc365f3', (random) => random() * 1e6 + random())
})
