/**
 * Sums over rows of samples.db, by which a row that an index no longer finds, or finds elsewhere, is noticed, and
 * that the rows of a stream have changed. docs/format/samples-db.md.
 */

/** Below 2³², so that the sums of a million rows of `touched` add up exactly. */
const PRIME = 4_294_967_291

/** Sums of rows of `chunk` are below it, so that two of them add up exactly. */
const ROW_SUM_END = 2 ** 52
const WORD_END = 2 ** 32

/** A row of `chunk` without its bytes. */
interface SummedRow {
  readonly id: number
  readonly level: number
  readonly start: number
  readonly last: number
  readonly count: number
}

/**
 * What a row of `chunk` adds to the sum of its stream. Its fields are mixed, not weighed: a merge changes several by
 * amounts that belong together, and weighed they would cancel out. One changed bit always changes the sum.
 */
export function rowSum({ id, level, start, last, count }: SummedRow): number {
  let low = 0
  let high = 1
  for (const field of [id, level, start, last, count, 0]) {
    const upper = Math.floor(field / WORD_END)
    low = mix(mix(low, field | 0, 0x9e3779b1), upper, 0x9e3779b1)
    high = mix(mix(high, field | 0, 0x85ebca77), upper, 0x85ebca77)
  }
  return (high >>> 12) * WORD_END + (low >>> 0)
}

/** For each state another word gives another result, and for each word another state does. */
function mix(state: number, word: number, odd: number): number {
  const product = Math.imul(state ^ word, odd)
  return product ^ (product >>> 15)
}

/** A sum of two sums of rows, or the difference of two, as it is stored. */
export function wrapRowSum(sum: number): number {
  if (sum >= ROW_SUM_END) return sum - ROW_SUM_END
  return sum < 0 ? sum + ROW_SUM_END : sum
}

/** Adds one for each field that is no number: SQLite computes with bytes and texts as if they were 0. */
const oddFields = (...names: readonly string[]): string =>
  names.map((name) => `(typeof(${name}) NOT IN ('integer', 'real'))`).join(' + ')

/** What all rows of `touched` and `watched` add up to. */
export const TOUCHED_TOTAL_SQL = `
  SELECT coalesce((SELECT sum((stream * 17 + 1) % ${PRIME} + ${oddFields('stream')}) FROM watched), 0) +
    coalesce((SELECT sum((cursor * 7 + stream * 13 + start * 3 + until * 5 + 1) % ${PRIME} +
      ${oddFields('stream', 'start', 'until')}) FROM touched), 0) AS value`

/** What a row of `touched` adds to TOUCHED_TOTAL_SQL. */
export function touchedSum(
  stream: number,
  row: { readonly cursor: number; readonly start: number; readonly until: number },
): number {
  return (row.cursor * 7 + stream * 13 + row.start * 3 + row.until * 5 + 1) % PRIME
}

/** What a row of `watched` adds to TOUCHED_TOTAL_SQL. */
export function watchedSum(stream: number): number {
  return (stream * 17 + 1) % PRIME
}

/** The check of how far the journal is sealed. */
export function sealedSum(segment: number, sequence: number): number {
  return (segment * 7 + sequence * 13 + 1) % PRIME
}

/** The sum of `touched` and `watched` as it is stored: 32 bits. */
export function wrapSum(sum: number): number {
  const rest = sum % 2 ** 32
  return rest < 0 ? rest + 2 ** 32 : rest
}
