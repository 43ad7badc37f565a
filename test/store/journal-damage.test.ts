/** A bit of every byte flipped and every cut made in a small journal, one at a time; nightly every bit. */
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { crc32 } from 'node:zlib'
import type { Disk } from '../../src/store/embedded/disk/disk.ts'
import { realDisk } from '../../src/store/embedded/disk/real-disk.ts'
import { type Replay, replaySegment } from '../../src/store/embedded/head/replay.ts'
import { SampleSink } from '../../src/store/embedded/head/sample-sink.ts'
import { openSampleStore } from '../../src/store/embedded/index.ts'
import { scanSegment } from '../../src/store/embedded/journal/scan.ts'
import { batch, read } from '../contract/sample-store-contract.ts'
import { isNightly, Random, testSeeds } from '../support/random.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

type Row = [handle: number, time: number, value: number | string]

/** What is appended, a frame each. The zeros fill whole sectors; nothing overwrites anything. */
const FRAMES: readonly Row[][] = [
  [
    [1, 1000, 1.5],
    [2, 1000, -0],
  ],
  [
    [1, 2000, 'text'],
    [3, 2000, 7],
  ],
  Array.from({ length: 130 }, (_, index): Row => [4, 3000 + index, 0]),
  [[5, 4000, 0.1]],
]
const HEADER_BYTES = 32
const [SEED] = testSeeds(1)

let segment: Uint8Array
let frameEnds: number[]

before(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-damage-'))
  const store = await openSampleStore({ folder, segmentBytes: 8192 })
  for (const rows of FRAMES) await store.append(batch(rows))
  const [name] = readdirSync(join(folder, 'journal'))
  segment = new Uint8Array(readFileSync(join(folder, 'journal', name)))
  await store.close()
  rmSync(folder, { recursive: true })
  const { frames } = scanSegment(segment)
  assert.equal(frames.length, FRAMES.length)
  frameEnds = frames.map((frame) => frame.end)
})

function replay(bytes: Uint8Array): Replay {
  const disk: Disk = { ...realDisk, readWhole: () => bytes }
  return replaySegment(disk, 'journal/journal-000000000001.seg', 1)
}

/** Rows as text, which compares quickly; -0 is not 0. */
function print(rows: readonly Row[]): string {
  const value = (row: Row): string => (Object.is(row[2], -0) ? '-0' : JSON.stringify(row[2]))
  return rows.map((row) => `${row[0]} ${row[1]} ${value(row)}`).join('\n')
}

function contentsOf({ generation }: Replay): string {
  const rows: Row[] = []
  for (let handle = 1; handle <= 5; handle += 1) {
    const sink = new SampleSink()
    generation.readAll(handle, sink)
    const { count, times, numbers, texts } = sink.columns()
    for (let at = 0; at < count; at += 1) rows.push([handle, times[at], texts?.[at] ?? numbers[at]])
  }
  return print(rows)
}

function inOrder(rows: readonly Row[]): string {
  return print([...rows].sort((a, b) => a[0] - b[0] || a[1] - b[1]))
}

const frameOf = (offset: number): number => frameEnds.findIndex((end) => offset < end)

/** Bits of some bytes: a random one of each byte, nightly all. */
function* bitsOf(from: number, until: number): Generator<number> {
  const random = new Random(SEED)
  for (let byte = from; byte < until; byte += 1) {
    const only = isNightly ? undefined : random.integer(0, 8)
    for (let bit = 0; bit < 8; bit += 1) if (bit === (only ?? bit)) yield byte * 8 + bit
  }
}

test('a journal without damage gives back every sample and names none', () => {
  const whole = replay(segment)
  assert.equal(contentsOf(whole), inOrder(FRAMES.flat()))
  assert.deepEqual(whole.damages, [])
})

test(`any flipped bit costs at most its frame, invents nothing and is named (WEIR_TEST_SEED=${SEED})`, () => {
  const all = inOrder(FRAMES.flat())
  const others = FRAMES.map((lost) => inOrder(FRAMES.filter((rows) => rows !== lost).flat()))
  const end = frameEnds[frameEnds.length - 1]
  for (const bit of bitsOf(0, end)) {
    const bytes = segment.slice()
    bytes[bit >> 3] ^= 1 << (bit & 7)
    const found = replay(bytes)
    const contents = contentsOf(found)
    const hit = frameOf(bit >> 3)
    const isAllThere = contents === all
    assert.equal(contents, isAllThere ? all : others[hit], `bit ${bit}`)
    assert.equal(found.damages.length, 1, `bit ${bit} is named once`)
    const { damage } = found.damages[0]
    assert.ok(damage.offset <= bit >> 3 && bit >> 3 < damage.offset + damage.bytes, `bit ${bit}`)
    if (isAllThere) continue
    const times = FRAMES[hit].map((row) => row[1])
    assert.deepEqual([damage.from, damage.until], [Math.min(...times), Math.max(...times) + 1])
    assert.deepEqual(new Set(damage.handles), new Set(FRAMES[hit].map((row) => row[0])))
  }
})

test(`a bit flipped in the zeros behind the last frame costs nothing (WEIR_TEST_SEED=${SEED})`, () => {
  const all = inOrder(FRAMES.flat())
  const end = frameEnds[frameEnds.length - 1]
  for (const bit of bitsOf(end, end + 64)) {
    const bytes = segment.slice()
    bytes[bit >> 3] ^= 1 << (bit & 7)
    assert.equal(contentsOf(replay(bytes)), all, `bit ${bit}`)
  }
})

function checkPrefix(found: Replay, cut: number, what: string): void {
  const contents = contentsOf(found)
  const whole = frameEnds.filter((end) => end <= cut).length
  const candidates = [whole, whole + 1].map((count) => inOrder(FRAMES.slice(0, count).flat()))
  // Once a frame's samples are all there, its footer may be missing.
  const isNext = contents === candidates[1]
  assert.equal(contents, candidates[isNext ? 1 : 0], what)
}

test('a segment cut at any byte keeps every frame before the cut, and is reported as shorter', () => {
  for (let cut = 1; cut < segment.length; cut += 1) {
    if (cut > frameEnds[3] + 8 && cut % 512 > 1) continue
    const found = replay(segment.slice(0, cut))
    checkPrefix(found, cut, `cut at ${cut}`)
    assert.ok(found.damages.length > 0, `cut at ${cut} is told`)
    assert.match(found.damages.at(-1)?.damage.what ?? '', /was made .* and has \d+ bytes/)
  }
})

test('a segment without its length, cut inside a frame, is still reported', () => {
  const untold = segment.slice()
  new DataView(untold.buffer).setUint32(24, 0, true)
  new DataView(untold.buffer).setUint32(28, crc32(untold.subarray(0, 28)), true)
  assert.deepEqual(replay(untold).damages, [])
  for (let cut = frameEnds[1] + 40; cut < frameEnds[2] - 8; cut += 1) {
    const found = replay(untold.slice(0, cut))
    assert.equal(contentsOf(found), inOrder(FRAMES.slice(0, 2).flat()))
    assert.equal(found.damages.length, 1, `cut at ${cut} is told`)
  }
})

function checkSilent(found: Replay, cut: number, what: string): void {
  checkPrefix(found, cut, what)
  assert.deepEqual(found.damages, [], what)
}

test('a write that ended at any byte is cut off in silence', () => {
  for (let cut = HEADER_BYTES; cut < frameEnds[3]; cut += 1) {
    const bytes = segment.slice()
    bytes.fill(0, cut)
    checkSilent(replay(bytes), cut, `zeros from ${cut}`)
  }
})

test('a last frame that lost any of its sectors is cut off in silence', () => {
  const start = frameEnds[1]
  const upToThird = segment.slice()
  upToThird.fill(0, frameEnds[2])
  const first = Math.floor(start / 512)
  const sectors = Math.ceil(frameEnds[2] / 512) - first
  for (let lost = 1; lost < 2 ** sectors; lost += 1) {
    const bytes = upToThird.slice()
    for (let sector = 0; sector < sectors; sector += 1) {
      if ((lost & (1 << sector)) === 0) continue
      const from = Math.max((first + sector) * 512, start)
      bytes.fill(0, from, (first + sector + 1) * 512)
    }
    checkSilent(replay(bytes), start, `sectors ${lost.toString(2)} lost`)
  }
})

test('a newest segment that was cut is reported at the start; the rest is served', async (t) => {
  const folder = temporaryFolder()
  const first = await openSampleStore({ folder, segmentBytes: 8192 })
  for (const rows of FRAMES) await first.append(batch(rows))
  await first.close()
  const journal = join(folder, 'journal')
  truncateSync(join(journal, readdirSync(journal)[0]), frameEnds[1])
  const reported: string[] = []
  const store = await openSampleStore({
    folder,
    segmentBytes: 8192,
    onDamage: ({ what }) => reported.push(what),
  })
  t.after(() => store.close())
  assert.match(reported.join(), /was made 8192 bytes long and has \d+ bytes/)
  assert.ok(store.status().damages.length > 0)
  assert.equal((await read(store, 1)).length, 2)
  assert.deepEqual(await read(store, 4), [])
})
