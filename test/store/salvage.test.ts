/** One bit of samples.db turned, wherever it lies: new samples are stored and sealed, lost ones are reported. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type EmbeddedSampleStore, openSampleStore } from '../../src/store/embedded/index.ts'
import type { Damage, StreamHandle } from '../../src/store/index.ts'
import { flipBit, listPages, setNextPage, type TreePage } from '../support/flip-page.ts'
import { Random, roundsOf, testSeeds } from '../support/random.ts'
import { batch, read } from '../support/samples.ts'

const [SEED] = testSeeds(1)
const ROUNDS = roundsOf(3)
const SEGMENT_BYTES = 32 * 1024
/** Enough for trees of two levels. */
const NUMBERS = Array.from({ length: 500 }, (_, index) => index + 1)
/** Rows that go on in overflow pages. */
const TEXTS = [501, 502, 503]
const STREAMS = [...NUMBERS, ...TEXTS]
const OLD_SEALS = 6
const SAMPLES_PER_SEAL = 2
const OLD_END = OLD_SEALS * SAMPLES_PER_SEAL
const LATER_END = OLD_END + 14

let template: string

/** A text that cannot be packed to less than a page. */
function longText(about: string): string {
  return createHash('shake256', { outputLength: 45_000 }).update(about).digest('base64')
}

function expected(stream: number, time: number): number | string {
  if (stream <= NUMBERS.length) return stream * time
  return time < OLD_END ? longText(`${stream} ${time}`) : `${stream} ${time}`
}

async function fill(
  store: EmbeddedSampleStore,
  { from, until, streams = STREAMS }: { from: number; until: number; streams?: readonly number[] },
): Promise<void> {
  for (let time = from; time < until; time += 1) {
    await store.append(batch(streams.map((one) => [one, time, expected(one, time)] as const)))
  }
}

before(async () => {
  template = mkdtempSync(join(tmpdir(), 'weir-salvage-'))
  const store = await openSampleStore({ folder: template })
  for (let seal = 0; seal < OLD_SEALS; seal += 1) {
    const from = seal * SAMPLES_PER_SEAL
    await fill(store, { from, until: from + SAMPLES_PER_SEAL })
    await store.sealAll()
  }
  await store.close()
})

after(() => rmSync(template, { recursive: true }))

/** Everything that a store holds is as it was appended; returns the old samples that are missing. */
async function missing(
  store: EmbeddedSampleStore,
  streams: readonly number[],
): Promise<Map<number, number[]>> {
  const lost = new Map<number, number[]>()
  for (const one of streams) {
    const found = new Map(await read(store, one))
    for (const [time, value] of found) assert.equal(value, expected(one, time), `${one} at ${time}`)
    for (let time = 0; time < LATER_END; time += 1) {
      if (found.has(time)) continue
      assert.ok(time < OLD_END, `stream ${one} lost ${time}, which came after the damage`)
      lost.set(one, [...(lost.get(one) ?? []), time])
    }
  }
  return lost
}

function isTold(damages: readonly Damage[], stream: number, time: number): boolean {
  return damages.some(
    ({ handles, from, until }) =>
      handles.some((handle) => handle === stream) &&
      (from === undefined || until === undefined || (from <= time && time < until)),
  )
}

async function goOnAfter(
  flip: (file: string) => void,
  { forgotten = [] }: { forgotten?: readonly number[] } = {},
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-salvage-'))
  cpSync(template, folder, { recursive: true })
  flip(join(folder, 'samples.db'))
  const open = () => openSampleStore({ folder, segmentBytes: SEGMENT_BYTES })
  let store = await open()
  try {
    const middle = (OLD_END + LATER_END) / 2
    if (forgotten.length > 0) await store.forget(forgotten.map((one) => one as StreamHandle))
    const streams = STREAMS.filter((one) => !forgotten.includes(one))
    await fill(store, { from: OLD_END, until: middle, streams })
    await store.sealAll()
    await store.close()
    store = await open()
    await fill(store, { from: middle, until: LATER_END, streams })
    await store.sealAll()
    const lost = await missing(store, streams)
    assert.equal(store.status().readOnlyReason, undefined)
    await store.close()
    store = await open()
    assert.deepEqual(await missing(store, streams), lost)
    const { damages } = store.status()
    for (const [one, times] of lost) {
      for (const time of times) assert.ok(isTold(damages, one, time), `${one} at ${time} is told`)
    }
    return lost.size
  } finally {
    await store.close()
    rmSync(folder, { recursive: true })
  }
}

const KINDS: ReadonlyArray<{ tree: string; kind: TreePage['kind'] }> = [
  { tree: 'chunk', kind: 'internal' },
  { tree: 'chunk', kind: 'leaf' },
  { tree: 'chunk', kind: 'overflow' },
  { tree: 'chunk_by_start', kind: 'internal' },
  { tree: 'chunk_by_start', kind: 'leaf' },
  { tree: 'stream_sum', kind: 'leaf' },
]

for (const { tree, kind } of KINDS) {
  test(`a bit of a page (${kind}) of ${tree} stops nothing (WEIR_TEST_SEED=${SEED})`, async () => {
    const random = new Random(SEED)
    const pages = listPages(join(template, 'samples.db'), [tree]).filter((p) => p.kind === kind)
    assert.ok(pages.length > 0)
    for (let round = 0; round < ROUNDS; round += 1) {
      const page = random.pick(pages)
      const within = random.integer(0, round % 3 === 2 ? page.bytes : page.structureBytes)
      const bit = random.integer(0, 8)
      try {
        await goOnAfter((file) => flipBit(file, page.offset + within, bit))
      } catch (error) {
        const about = `page at ${page.offset}, byte ${within}, bit ${bit}`
        throw new Error(`${about}: ${String(error)}`, { cause: error })
      }
    }
  })
}

/** An overflow page, and the page of the table with which it goes on by mistake, each by its place in the list of pages. */
const CROSSED = [
  { from: 35, to: 3, forgotten: [] },
  { from: 35, to: 36, forgotten: [] },
  { from: 1, to: 30, forgotten: [501] },
  { from: 17, to: 3, forgotten: [501] },
]

for (const { from, to, forgotten } of CROSSED) {
  const what = forgotten.length > 0 ? 'a stream is forgotten' : 'it is merged'
  test(`a row that goes on in a page of others (${from} in ${to}) harms none of them when ${what}`, async () => {
    const cross = (file: string) => {
      const pages = listPages(file, ['chunk'])
      setNextPage(file, pages.filter(({ kind }) => kind === 'overflow')[from], pages[to])
    }
    await goOnAfter(cross, { forgotten })
  })
}
