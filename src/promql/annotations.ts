import { showRounded, showShortest } from './series/go-format.ts'
import { inQuotes, placeText } from './syntax/syntax-error.ts'

/** Most texts of a kind in an answer, as in Prometheus. The rest is counted. */
const SHOWN_MAX = 10

/** Most distinct texts of a kind that are counted. A query over all metrics could have one for each. */
const COUNTED_MAX = 10_000

/** Where histogram_quantile had to make counts rise, over all steps. */
interface ForcedRise {
  readonly place: string
  count: number
  from: number
  until: number
  lowest: number
  highest: number
  difference: number
}

/** What histogram_quantile had to change at one step. */
export interface RiseAtStep {
  readonly time: number
  readonly lowest: number
  readonly highest: number
  readonly difference: number
}

/** Collects the warnings and infos of one query, each once, in the words of Prometheus. */
export class AnnotationList {
  readonly #query: string
  /** Texts, and where they apply; of several places the last one is shown, as in Prometheus. */
  readonly #warnings = new Map<string, string>()
  readonly #infos = new Map<string, string>()
  readonly #rises = new Map<number, ForcedRise>()

  constructor(query: string) {
    this.#query = query
  }

  get warnings(): string[] {
    return shorten(showTexts(this.#warnings), 'warning')
  }

  get infos(): string[] {
    return shorten([...showTexts(this.#infos), ...[...this.#rises.values()].map(showRise)], 'info')
  }

  /** Texts of the source, which have no place in the query. */
  addSourceTexts(texts: {
    readonly warnings: readonly string[]
    readonly infos: readonly string[]
  }) {
    for (const text of texts.warnings) this.#warnings.set(text, '')
    for (const text of texts.infos) this.#infos.set(text, '')
  }

  #warn(text: string, start: number): void {
    keep(this.#warnings, `PromQL warning: ${text}`, ` (${placeText(this.#query, start)})`)
  }

  #inform(text: string, start: number): void {
    keep(this.#infos, `PromQL info: ${text}`, ` (${placeText(this.#query, start)})`)
  }

  invalidQuantile(quantile: number, start: number): void {
    this.#warn(`quantile value should be between 0 and 1, got ${showShortest(quantile)}`, start)
  }

  badBucketLabel(value: string, start: number): void {
    this.#warn(`bucket label "le" is missing or has a malformed value of ${inQuotes(value)}`, start)
  }

  sortInRange(start: number): void {
    this.#warn(
      'sort is ineffective for range queries since results are always ordered by labels',
      start,
    )
  }

  possibleNonCounter(metric: string, start: number): void {
    this.#inform(
      `metric might not be a counter, name does not end in _total/_sum/_count/_bucket: ${inQuotes(metric)}`,
      start,
    )
  }

  incompatibleTypes(operation: string, start: number): void {
    this.#inform(
      `incompatible sample types encountered for binary operator ${inQuotes(operation)}: float ${operation} float`,
      start,
    )
  }

  forcedRise(rise: RiseAtStep, start: number): void {
    const known = this.#rises.get(start)
    if (known === undefined) {
      const { time, lowest, highest, difference } = rise
      const place = placeText(this.#query, start)
      this.#rises.set(start, {
        place,
        count: 1,
        from: time,
        until: time,
        lowest,
        highest,
        difference,
      })
      return
    }
    known.count++
    known.from = Math.min(known.from, rise.time)
    known.until = Math.max(known.until, rise.time)
    known.lowest = Math.min(known.lowest, rise.lowest)
    known.highest = Math.max(known.highest, rise.highest)
    known.difference = Math.max(known.difference, rise.difference)
  }
}

function keep(texts: Map<string, string>, text: string, place: string): void {
  if (texts.size < COUNTED_MAX || texts.has(text)) texts.set(text, place)
}

function shorten(texts: string[], kind: 'warning' | 'info'): string[] {
  if (texts.length <= SHOWN_MAX) return texts
  const omitted = `${texts.length - SHOWN_MAX} more ${kind} annotations omitted`
  return [...texts.slice(0, SHOWN_MAX), omitted]
}

function showTexts(texts: ReadonlyMap<string, string>): string[] {
  return [...texts].map(([text, place]) => `${text}${place}`)
}

function showRise(rise: ForcedRise): string {
  const page = 'https://prometheus.io/docs/prometheus/latest/querying/functions/#histogram_quantile'
  const buckets = `from buckets ${showShortest(rise.lowest)} to ${showShortest(rise.highest)}`
  const difference = `with a max diff of ${showRounded(rise.difference, 2)}`
  const times = `over ${rise.count} samples from ${showSecond(rise.from)} to ${showSecond(rise.until)}`
  return `PromQL info: input to histogram_quantile needed to be fixed for monotonicity (see ${page}), ${buckets}, ${difference}, ${times} (${rise.place})`
}

function showSecond(time: number): string {
  return `${new Date(Math.floor(time / 1000) * 1000).toISOString().slice(0, 19)}Z`
}
