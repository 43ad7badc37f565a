import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Random, testSeeds } from '../../../../test/support/random.ts'
import type { SampleBatch, StreamHandle, TouchedSpan } from '../../ports/sample-port.ts'
import { TouchedSpans } from './touched-spans.ts'

const STEPS = 200
const HANDLES = 6

interface Row {
  cursor: number
  handle: number
  from: number
  until: number
  least: number
  most: number
  isOlder: boolean
}

/** Touched spans as plain rows. */
class PlainSpans {
  rows: Row[] = []

  widen(into: Row, { from, until, least, most, isOlder }: Row): void {
    into.from = Math.min(into.from, from)
    into.until = Math.max(into.until, until)
    into.least = Math.min(into.least, least)
    into.most = Math.max(into.most, most)
    into.isOlder ||= isOlder
  }

  add(row: Row): void {
    const known = this.rows.find(
      ({ cursor, handle }) => cursor === row.cursor && handle === row.handle,
    )
    if (known === undefined) this.rows.push(row)
    else this.widen(known, row)
    this.rows.sort((one, other) => one.cursor - other.cursor)
  }

  coalesce(): void {
    const half = this.rows.length >>> 1
    const older = new Map<number, Row>()
    for (const row of this.rows.slice(0, half).toReversed()) {
      const known = older.get(row.handle)
      if (known === undefined) older.set(row.handle, row)
      else this.widen(known, row)
    }
    this.rows = [...[...older.values()].reverse(), ...this.rows.slice(half)]
  }

  spansAfter(cursor: number): TouchedSpan[] {
    const rows = this.rows.filter((row) => row.cursor > cursor)
    return rows.map(({ handle, from, until, least, most, isOlder }) => ({
      handle: handle as StreamHandle,
      from: from as TouchedSpan['from'],
      until: until as TouchedSpan['until'],
      ...(Number.isNaN(least) ? (isOlder ? { mayBeOlder: true } : {}) : { least, most }),
    }))
  }
}

function unreadRow(cursor: number, span: { handle: number; from: number; until: number }): Row {
  return { cursor, ...span, least: Number.NaN, most: Number.NaN, isOlder: false }
}

function randomUnread(random: Random) {
  const from = random.integer(0, 1_000)
  const handle = random.integer(1, HANDLES)
  return { handle, from, until: from + random.integer(1, 50) }
}

/** Adds samples of one stream to both. */
function addSamples(spans: TouchedSpans, plain: PlainSpans, { random, cursor }: Step): void {
  const count = random.integer(1, 5)
  const handle = random.integer(1, HANDLES)
  const times = Float64Array.from({ length: count }, () => random.integer(0, 1_000))
  const isText = random.next() < 0.2
  const numbers = Float64Array.from({ length: count }, () => random.integer(-9, 9))
  const texts = Array.from({ length: count }, (_, at) => (isText && at === 0 ? 'on' : undefined))
  if (isText) numbers[0] = Number.NaN
  const handles = new Uint32Array(count).fill(handle)
  const batch = { count, handles, times, numbers, texts, removals: [] }
  spans.addSamples(cursor, batch as unknown as SampleBatch, { first: 0, end: count })
  const [from, until] = [Math.min(...times), Math.max(...times) + 1]
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)]
  plain.add({ cursor, handle, from, until, least, most, isOlder: false })
}

interface Step {
  readonly random: Random
  readonly cursor: number
}

for (const seed of testSeeds(20)) {
  test(`TouchedSpans holds the spans of plain rows, over samples, removals, and coalescing (seed ${seed})`, () => {
    const random = new Random(seed)
    const [spans, plain] = [new TouchedSpans(), new PlainSpans()]
    let cursor = 1
    for (let step = 0; step < STEPS; step += 1) {
      const luck = random.next()
      if (random.next() < 0.4) cursor += random.integer(1, 3)
      if (luck < 0.7) addSamples(spans, plain, { random, cursor })
      else if (luck < 0.85) {
        const span = randomUnread(random)
        spans.addUnread(cursor, span)
        plain.add(unreadRow(cursor, span))
      } else if (luck < 0.9) {
        const gone = random.integer(1, HANDLES)
        spans.filter((handle) => handle !== gone)
        plain.rows = plain.rows.filter(({ handle }) => handle !== gone)
        cursor += 1
      } else if (luck < 0.95) {
        spans.coalesce()
        plain.coalesce()
        cursor += 1
      } else {
        // A stream that was not among those watched before.
        const span = { ...randomUnread(random), handle: HANDLES + step }
        const older = { cursor: random.integer(1, cursor), span }
        spans.insertOlder([older])
        plain.add({ ...unreadRow(older.cursor, span), isOlder: true })
        cursor += 1
      }
      const asked = random.integer(0, cursor + 1)
      const found = Array.from({ length: spans.count - spans.placeAfter(asked) }, (_, at) =>
        spans.spanAt(spans.placeAfter(asked) + at),
      )
      assert.deepEqual(found, plain.spansAfter(asked), `step ${step}`)
    }
  })
}
