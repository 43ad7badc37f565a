/**
 * Sums over rows of samples.db, by which a row that an index no longer finds, or finds elsewhere, is
 * noticed. Every field is weighed and the whole is taken modulo a prime, so that one changed bit always
 * changes the sum. SQLite and JavaScript compute the same.
 */

/** Below 2³², so that the sums of a million rows add up exactly. */
const PRIME = 4_294_967_291

/** What a row of `chunk` adds. */
export const ROW_SUM_SQL = `(id * 7 + level * 13 + start * 3 + last * 5 + count * 11) % ${PRIME}`
/** Adds one for each field that is no number: SQLite computes with bytes and texts as if they were 0. */
const oddFields = (...names: readonly string[]): string =>
  names.map((name) => `(typeof(${name}) NOT IN ('integer', 'real'))`).join(' + ')

/** What all rows of `touched` and `watched` add up to. */
export const TOUCHED_TOTAL_SQL = `
  SELECT coalesce((SELECT sum((stream * 17 + 1) % ${PRIME} + ${oddFields('stream')}) FROM watched), 0) +
    coalesce((SELECT sum((cursor * 7 + stream * 13 + start * 3 + until * 5 + 1) % ${PRIME} +
      ${oddFields('stream', 'start', 'until')}) FROM touched), 0) AS value`

/** As ROW_SUM_SQL. */
export function rowSum(row: {
  readonly id: number
  readonly level: number
  readonly start: number
  readonly last: number
  readonly count: number
}): number {
  return (row.id * 7 + row.level * 13 + row.start * 3 + row.last * 5 + row.count * 11) % PRIME
}

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

/** A sum of sums as it is stored: 32 bits. */
export function wrapSum(sum: number): number {
  const rest = sum % 2 ** 32
  return rest < 0 ? rest + 2 ** 32 : rest
}
