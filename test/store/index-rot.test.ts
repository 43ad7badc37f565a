/** Bits turned in the index of samples.db, read without a scrub: reads return everything or report damage. */
import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { type EmbeddedSampleStore, openSampleStore } from '../../src/store/embedded/index.ts'
import { flipBit, listKeys, listPages, type TreePage } from '../support/flip-page.ts'
import { Random, roundsBy, roundsOf, testSeeds } from '../support/random.ts'
import { batch, read, stream } from '../support/samples.ts'

const [SEED] = testSeeds(1)
const ROUNDS = roundsOf(6)
/** Streams of a few runs that are not merged yet: together they need two pages of the index and one above. */
const SHORT = Array.from({ length: 400 }, (_, index) => index + 1)
const SHORT_SEALS = 6
/** Streams of many chunks among them, as texts of this length end a chunk early. */
const LONG = [77, 200, 333]
const TEXT = 'x'.repeat(60_000)
const LONG_END = 160
const LONG_SEALS = 4
/** Has room for one append of long texts. */
const SEGMENT_BYTES = 4 * 1024 * 1024
const STEP = 10
const GONE = 150
/** Pages of the index of each kind of which keys are changed, and keys of each that are, one by one. */
const PAGES = roundsBy({ everyRun: 1, nightly: Number.POSITIVE_INFINITY })
const KEYS = roundsOf(2)

let template: string

/** The samples of a stream at the beginning. */
function valuesOf(one: number): Map<number, number | string> {
  const values = new Map<number, number | string>()
  if (LONG.includes(one)) {
    for (let at = 0; at < LONG_END; at += 1) values.set(at * STEP, `${one} ${at} ${TEXT}`)
  } else {
    for (let at = 0; at < SHORT_SEALS; at += 1) values.set(at * STEP, one * 1_000 + at)
  }
  return values
}

before(async () => {
  template = mkdtempSync(join(tmpdir(), 'weir-index-rot-'))
  await using store = await opened(template)
  // The first seals: a later one may merge what a stream has.
  for (let seal = 0; seal < SHORT_SEALS; seal += 1) {
    const rows = SHORT.filter((one) => !LONG.includes(one)).map(
      (one) => [one, seal * STEP, one * 1_000 + seal] as const,
    )
    await store.append(batch(rows))
    await store.sealAll()
  }
  for (let seal = 0; seal < LONG_SEALS; seal += 1) {
    for (const one of LONG) {
      const some = [...valuesOf(one)].filter((_, at) => at % LONG_SEALS === seal)
      await store.append(batch(some.map(([time, value]) => [one, time, value] as const)))
    }
    await store.sealAll()
  }
})

after(() => rmSync(template, { recursive: true }))

async function opened(folder: string): Promise<EmbeddedSampleStore & AsyncDisposable> {
  const store = await openSampleStore({ folder, segmentBytes: SEGMENT_BYTES })
  return Object.assign(store, { [Symbol.asyncDispose]: () => store.close() })
}

/** Reads everything in every way; wrong streams must be reported. */
async function judge(
  store: EmbeddedSampleStore,
  expected: ReadonlyMap<number, ReadonlyMap<number, number | string>>,
): Promise<void> {
  for (const [one, values] of expected) {
    const sorted = [...values].sort(([a], [b]) => a - b)
    const wrong: string[] = []
    const hold = (what: string, found: unknown, wanted: unknown): void => {
      if (!isDeepStrictEqual(found, wanted)) wrong.push(what)
    }
    const [latest] = await store.latest([stream(one)])
    hold('latest', latest && [latest.time, latest.value], sorted.at(-1))
    const [from, until] = [40, 900]
    const isInside = ([time]: readonly [number, unknown]): boolean => time >= from && time < until
    hold('a span', await read(store, one, { from, until }), sorted.filter(isInside))
    const backward = await read(store, one, { until, limit: 7, order: 'latest_first' })
    const before = sorted.filter(([time]) => time < until).reverse()
    hold('the latest of a span', backward, before.slice(0, 7))
    const { count } = await store.fold(stream(one), Float64Array.of(0, from, until, 10_000))
    const inside = sorted.filter(isInside).length
    const early = sorted.filter(([time]) => time < from).length
    hold('a statistic', [...count], [early, inside, sorted.length - early - inside])
    const all = await read(store, one)
    hold('all', all, sorted)
    for (const [time, value] of all) assert.equal(value, values.get(time), `${one} at ${time}`)
    const isTold = store
      .status()
      .damages.some(({ handles }) => handles.some((handle) => handle === one))
    assert.ok(wrong.length === 0 || isTold, `stream ${one} is wrong in silence: ${wrong}`)
  }
}

/** Appends behind, between and over what there is, removes, and forgets a stream. */
async function change(store: EmbeddedSampleStore) {
  const expected = new Map(SHORT.map((one) => [one, valuesOf(one)]))
  const rows: Array<readonly [number, number, number | string]> = []
  for (const [one, values] of expected) {
    for (const time of [0, 505, 5_000]) {
      rows.push([one, time, -one])
      values.set(time, -one)
    }
    values.delete(STEP)
  }
  await store.append(
    batch(
      rows,
      SHORT.map((one) => [one, STEP, STEP + 1] as const),
    ),
  )
  await store.forget([stream(GONE)])
  expected.set(GONE, new Map())
  await store.sealAll()
  return expected
}

/** A folder like the template, but for one bit of samples.db; read, and in a second one changed and read. */
async function flipAndRead(offset: number, bit: number): Promise<void> {
  for (const isChanged of [false, true]) {
    const folder = mkdtempSync(join(tmpdir(), 'weir-index-rot-'))
    cpSync(template, folder, { recursive: true })
    flipBit(join(folder, 'samples.db'), offset, bit)
    try {
      await using store = await opened(folder)
      const expected = new Map(SHORT.map((one) => [one, valuesOf(one)]))
      await judge(store, isChanged ? await change(store) : expected)
    } catch (error) {
      const about = `byte ${offset}, bit ${bit}, ${isChanged ? '' : 'not '}changed`
      throw new Error(`${about}: ${String(error)}`, { cause: error })
    } finally {
      rmSync(folder, { recursive: true })
    }
  }
}

function indexPages(kind: TreePage['kind']): TreePage[] {
  const pages = listPages(join(template, 'samples.db'), ['chunk_by_start'])
  return pages.filter((page) => page.kind === kind)
}

test('the index has pages of each kind', () => {
  assert.deepEqual([indexPages('internal').length, indexPages('leaf').length], [1, 2])
})

for (const kind of ['internal', 'leaf'] as const) {
  test(`no bit of a page (${kind}) of the index hides a sample in silence (WEIR_TEST_SEED=${SEED})`, async () => {
    const random = new Random(SEED)
    for (let round = 0; round < ROUNDS; round += 1) {
      const page = random.pick(indexPages(kind))
      // Cells lie at the end of a page; what is between them and the pointers is unused.
      const isCell = round % 2 === 0
      const within = isCell
        ? random.integer(page.bytes - page.usedBytes, page.bytes)
        : random.integer(0, page.structureBytes)
      await flipAndRead(page.offset + within, random.integer(0, 8))
    }
  })

  test(`no stream that a search in a page (${kind}) meets first leads others astray`, async () => {
    for (const page of indexPages(kind).slice(0, PAGES)) {
      for (const key of listKeys(join(template, 'samples.db'), page, KEYS))
        await flipAndRead(key, 6)
    }
  })
}
