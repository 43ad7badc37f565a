/** The points of one series in InfluxDB, oldest first, page by page. */
import {
  AnswerTooLong,
  type Cell,
  type FieldColumn,
  type InfluxSource,
  quoteName,
  quoteText,
} from './influx-source.ts'

/** Values of one page: some megabytes, unless they are long texts. */
const VALUES_PER_PAGE = 50_000
const ROWS_PER_PAGE_MAX = 10_000
/** Before all times of InfluxDB. */
const FIRST_TIME = '1677-09-22T00:00:00Z'

/** A series, and where its points are. */
export interface SeriesPlace {
  readonly measurement: string
  readonly tags: ReadonlyMap<string, string>
  /** All tag keys of the measurement: the series has no other tags than its own. */
  readonly tagKeys: readonly string[]
  readonly columns: readonly FieldColumn[]
  readonly policies: readonly string[]
}

/** A point: its millisecond, the nanoseconds behind it, and a value for each column. */
export interface SeriesRow {
  readonly ms: number
  readonly rest: number
  readonly cells: readonly Cell[]
}

/** The points of a series in all retention policies, oldest first; of equal times those of later policies come last. */
export async function* rowsOfSeries(
  source: InfluxSource,
  place: SeriesPlace,
): AsyncGenerator<SeriesRow> {
  const parts = place.policies.map((policy) => rowsOfPolicy(source, place, policy))
  const heads: (SeriesRow | undefined)[] = []
  for (const part of parts) heads.push((await part.next()).value ?? undefined)
  for (;;) {
    let first = -1
    for (const [at, head] of heads.entries()) {
      if (head !== undefined && (first < 0 || isBefore(head, heads[first]))) first = at
    }
    const row = heads[first]
    if (row === undefined) return
    yield row
    heads[first] = (await parts[first].next()).value ?? undefined
  }
}

function isBefore(a: SeriesRow, b: SeriesRow | undefined): boolean {
  return b === undefined || a.ms < b.ms || (a.ms === b.ms && a.rest < b.rest)
}

async function* rowsOfPolicy(
  source: InfluxSource,
  { measurement, tags, tagKeys, columns }: SeriesPlace,
  policy: string,
): AsyncGenerator<SeriesRow, undefined> {
  const names = columns.map(({ name, type }) => `${quoteName(name)}::${type}`).join(', ')
  const where = tagKeys.map((key) => `${quoteName(key)}::tag = ${quoteText(tags.get(key) ?? '')}`)
  const from = `${quoteName(policy)}.${quoteName(measurement)}`
  const most = Math.min(ROWS_PER_PAGE_MAX, Math.ceil(VALUES_PER_PAGE / columns.length))
  let limit = most
  let last = FIRST_TIME
  for (;;) {
    const conditions = [...where, `time > '${last}'`].join(' AND ')
    const statement = `SELECT ${names} FROM ${from} WHERE ${conditions} ORDER BY time LIMIT ${limit}`
    const page = await selectPage(source, statement, limit)
    if (page === undefined) {
      limit = Math.ceil(limit / 4)
      continue
    }
    for (const [time, ...cells] of page.rows) {
      last = String(time)
      yield { ...readTime(last), cells }
    }
    const isLast = page.rows.length < limit && !page.isPartial
    if (isLast || page.rows.length === 0) return undefined
    limit = Math.min(most, limit * 2)
  }
}

/** Undefined if the page takes too much memory and can be shorter. */
async function selectPage(source: InfluxSource, statement: string, limit: number) {
  try {
    return await source.select(statement)
  } catch (error) {
    if (error instanceof AnswerTooLong && limit > 1) return undefined
    throw error
  }
}

/** Reads a time such as 2026-01-31T12:00:00.000000001Z, which a number of JSON could not hold. */
function readTime(text: string): { ms: number; rest: number } {
  const [seconds, fraction = ''] = text.slice(0, -1).split('.')
  const digits = fraction.padEnd(9, '0')
  return {
    ms: Date.parse(`${seconds}Z`) + Number(digits.slice(0, 3)),
    rest: Number(digits.slice(3, 9)),
  }
}
