import type { Pacer } from '../../base/index.ts'
import { type LabelTable, type Postings, postingsOf } from './label-table.ts'

/** What the text of a label must be. A series without the label has the empty text. */
export interface LabelMatcher {
  readonly name: string
  /** The only texts that are accepted, where they are few and known. */
  readonly texts?: readonly string[]
  /** Whether texts are accepted: one byte for each. */
  readonly accept: (texts: readonly string[]) => Promise<Uint8Array> | Uint8Array
  /** Whether a series without the label is accepted. */
  readonly acceptsAbsent: boolean
}

/** A matcher that was applied to the texts of its name. */
interface Narrowed {
  readonly nameNumber: number
  readonly acceptsAbsent: boolean
  /** The labels that are accepted. */
  readonly pairs: readonly number[]
  readonly has: (pair: number) => boolean
  readonly seriesCount: number
}

/** Texts that are tested at once. */
const TEXTS_AT_ONCE = 1_024

/** Calls back with the number of each series that all matchers accept, in no order. */
export async function selectSeries(
  table: LabelTable,
  matchers: readonly LabelMatcher[],
  pacer: Pacer,
  take: (series: number) => void,
): Promise<void> {
  const { postings } = table
  const narrowed: Narrowed[] = []
  for (const matcher of matchers) narrowed.push(await narrow(table, postings, { matcher, pacer }))
  const driver = narrowed
    .filter(({ acceptsAbsent }) => !acceptsAbsent)
    .reduce<Narrowed | undefined>(
      (best, one) => (best === undefined || one.seriesCount < best.seriesCount ? one : best),
      undefined,
    )
  const others = narrowed.filter((one) => one !== driver)
  const look = (series: number, all: readonly Narrowed[]): void => {
    if (table.handleOf(series) === 0) return
    for (const { nameNumber, acceptsAbsent, has } of all) {
      const pair = nameNumber < 0 ? -1 : table.pairIn(series, nameNumber)
      if (pair < 0 ? !acceptsAbsent : !has(pair)) return
    }
    take(series)
  }
  const { seriesCount: indexedCount } = postings
  if (driver === undefined) {
    for (let series = 0; series < indexedCount; series++) {
      look(series, others)
      if (series % TEXTS_AT_ONCE === 0) await pacer.spend(TEXTS_AT_ONCE)
    }
  } else {
    for (const pair of driver.pairs) {
      const series = postingsOf(postings, pair)
      for (let at = 0; at < series.length; at++) {
        look(series[at], others)
        if (at % TEXTS_AT_ONCE === TEXTS_AT_ONCE - 1) await pacer.spend(TEXTS_AT_ONCE)
      }
      const waiting = pacer.spend(1)
      if (waiting !== undefined) await waiting
    }
  }
  for (let series = indexedCount; series < table.count; series++) {
    look(series, narrowed)
    if (series % TEXTS_AT_ONCE === 0) await pacer.spend(TEXTS_AT_ONCE)
  }
}

async function narrow(
  table: LabelTable,
  postings: Postings,
  { matcher, pacer }: { readonly matcher: LabelMatcher; readonly pacer: Pacer },
): Promise<Narrowed> {
  const { name, texts, acceptsAbsent } = matcher
  const nameNumber = table.nameNumberOf(name)
  const known = table.textsOf(name)
  const pairs: number[] = []
  if (known !== undefined && texts !== undefined) {
    for (const text of texts) {
      const pair = known.get(text)
      if (pair !== undefined) pairs.push(pair)
    }
  } else if (known !== undefined) {
    let some: string[] = []
    const test = async () => {
      const accepted = await matcher.accept(some)
      for (const [at, is] of accepted.entries()) {
        if (is === 1) pairs.push(known.get(some[at]) as number)
      }
      const waiting = pacer.spend(some.length)
      some = []
      if (waiting !== undefined) await waiting
    }
    // New labels of a name come at the end, so that this ends.
    for (const text of [...known.keys()]) {
      some.push(text)
      if (some.length === TEXTS_AT_ONCE) await test()
    }
    await test()
  }
  let seriesCount = 0
  for (const pair of pairs) seriesCount += postingsOf(postings, pair).length
  return { nameNumber, acceptsAbsent, pairs, has: membership(pairs, table.pairCount), seriesCount }
}

function membership(pairs: readonly number[], pairCount: number): (pair: number) => boolean {
  if (pairs.length === 0) return () => false
  if (pairs.length === 1) return (pair) => pair === pairs[0]
  const bits = new Uint8Array(pairCount)
  for (const pair of pairs) bits[pair] = 1
  return (pair) => bits[pair] === 1
}
