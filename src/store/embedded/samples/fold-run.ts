import { countAtMost } from '../../../base/index.ts'
import type { Summaries } from '../../ports/sample-port.ts'

type Columns = { -readonly [Name in keyof Summaries]: Summaries[Name] }

const NUMBER_COLUMNS = [
  ...(['count', 'numberCount', 'sum', 'mean', 'min', 'minTime'] as const),
  ...(['max', 'maxTime', 'firstTime', 'lastTime'] as const),
]

/** Summaries of neighbouring intervals; rows that something changed in are unknown. */
export class FoldRun {
  readonly #edges: Float64Array
  readonly #rows: Summaries
  readonly #isKnown: Uint8Array

  constructor(edges: Float64Array, rows: Summaries, isKnown?: Uint8Array) {
    this.#edges = edges.slice()
    this.#rows = rows
    this.#isKnown = isKnown ?? new Uint8Array(rows.length).fill(1)
  }

  get length(): number {
    return this.#rows.length
  }

  /** Characters of the first and last samples that are texts. */
  get textLength(): number {
    let length = 0
    for (const value of [...this.#rows.first, ...this.#rows.last]) {
      if (typeof value === 'string') length += value.length
    }
    return length
  }

  /** Whether edges are a stretch of this run's, or overlap it and go on beyond its ends. */
  fits(edges: Float64Array): boolean {
    const own = this.#edges
    if (edges[0] > own[own.length - 1] || edges[edges.length - 1] < own[0]) return false
    const { ownFrom, from, count } = this.#overlap(edges)
    // Two edges at least: a single shared instant does not distinguish an hour from a day.
    if (count < 2) return false
    for (let i = 0; i < count; i++) if (own[ownFrom + i] !== edges[from + i]) return false
    return true
  }

  /** The first and last edge around the rows that are not known, undefined when all are. */
  unknownIn(edges: Float64Array): { first: number; last: number } | undefined {
    const { ownFrom, from, count } = this.#overlap(edges)
    const isKnown = (row: number): boolean =>
      row >= from && row < from + count - 1 && this.#isKnown[ownFrom + row - from] === 1
    const rows = edges.length - 1
    let first = 0
    while (first < rows && isKnown(first)) first += 1
    if (first === rows) return undefined
    let last = rows
    while (isKnown(last - 1)) last -= 1
    return { first, last }
  }

  /** The rows between edges, which nobody changes; those that are not known are meaningless. */
  read(edges: Float64Array): Summaries {
    const { ownFrom, from, count } = this.#overlap(edges)
    const rows = viewed(this.#rows, ownFrom, ownFrom + count - 1)
    if (from === 0 && rows.length === edges.length - 1) return rows
    return overlaid(emptySummaries(edges.length - 1), rows, from)
  }

  /** This run with newer rows laid over it, longer where they go beyond its ends. */
  mergedWith(edges: Float64Array, rows: Summaries): FoldRun {
    const own = this.#edges
    const { ownFrom, from } = this.#overlap(edges)
    const before = edges.subarray(0, from)
    const after = edges.subarray(Math.min(edges.length, from + own.length - ownFrom))
    const all = new Float64Array(before.length + own.length + after.length)
    all.set(before)
    all.set(own, before.length)
    all.set(after, before.length + own.length)
    const isKnown = new Uint8Array(all.length - 1)
    isKnown.set(this.#isKnown, before.length)
    const start = before.length > 0 ? 0 : ownFrom
    isKnown.fill(1, start, start + rows.length)
    const base = overlaid(emptySummaries(all.length - 1), this.#rows, before.length)
    return new FoldRun(all, overlaid(base, rows, start), isKnown)
  }

  /** Makes the rows unknown that overlap from ≤ time < until. */
  forget(from: number, until: number): void {
    const edges = this.#edges
    const first = Math.max(0, countAtMost(edges, from) - 1)
    for (let row = first; row < this.length && edges[row] < until; row++) {
      if (edges[row + 1] > from) this.#isKnown[row] = 0
    }
  }

  /** Where edges and this run's lie over each other: the first shared place in both, and how long. */
  #overlap(edges: Float64Array): { ownFrom: number; from: number; count: number } {
    const own = this.#edges
    const ownFrom = edges[0] <= own[0] ? 0 : countAtMost(own, edges[0]) - 1
    const from = edges[0] <= own[0] ? Math.max(0, countAtMost(edges, own[0]) - 1) : 0
    return { ownFrom, from, count: Math.min(own.length - ownFrom, edges.length - from) }
  }
}

/** A copy of rows with others laid over them from one on. */
export function overlaid(rows: Summaries, over: Summaries, from: number): Summaries {
  const copy: Columns = { ...rows }
  for (const name of NUMBER_COLUMNS) {
    copy[name] = rows[name].slice()
    copy[name].set(over[name], from)
  }
  const [first, last] = [[...rows.first], [...rows.last]]
  for (let i = 0; i < over.length; i++) {
    first[from + i] = over.first[i]
    last[from + i] = over.last[i]
  }
  return { ...copy, first, last }
}

function emptySummaries(length: number): Summaries {
  const column = (): Float64Array => new Float64Array(length)
  return {
    length,
    count: column(),
    numberCount: column(),
    sum: column(),
    mean: column(),
    min: column(),
    minTime: column(),
    max: column(),
    maxTime: column(),
    firstTime: column(),
    first: new Array<number>(length).fill(0),
    lastTime: column(),
    last: new Array<number>(length).fill(0),
  }
}

/** A stretch of rows without a copy of their numbers. */
function viewed(rows: Summaries, from: number, until: number): Summaries {
  return {
    length: until - from,
    count: rows.count.subarray(from, until),
    numberCount: rows.numberCount.subarray(from, until),
    sum: rows.sum.subarray(from, until),
    mean: rows.mean.subarray(from, until),
    min: rows.min.subarray(from, until),
    minTime: rows.minTime.subarray(from, until),
    max: rows.max.subarray(from, until),
    maxTime: rows.maxTime.subarray(from, until),
    firstTime: rows.firstTime.subarray(from, until),
    first: rows.first.slice(from, until),
    lastTime: rows.lastTime.subarray(from, until),
    last: rows.last.slice(from, until),
  }
}
