/** What the service answers to GS SQL, with whole numbers that keep their digits. */
import { request } from '../../api/client.ts'
import type { TimeRange } from '../boards/ranges.ts'

/** A value; whole numbers beyond 2^53 are texts of their digits. */
export type Cell = number | string | boolean | null

/** A column of a result; `valueType` is blank where values of several types share it. */
export interface ResultColumn {
  readonly name: string
  readonly valueType: string
}

/** A sample that INSERT would store. */
export interface ShownSample {
  readonly cid: string
  readonly id: string
  readonly time: number | null
  readonly sample: Cell
}

/** The answer of a run. */
export interface GqlAnswer {
  readonly cols: readonly ResultColumn[]
  readonly rows: ReadonlyArray<readonly Cell[]>
  /** There are more rows than were asked for. */
  readonly more?: true
  readonly sampleCount?: number
  readonly samples?: readonly ShownSample[]
  readonly message: string
}

/** Rows that a panel of a board shows at most. */
export const ROWS_MAX = 4_000
/** Rows that a run returns unless somebody chooses more; a download has all. */
export const ROWS_USUAL = 1_000
/** As many as the service returns at once. */
export const ROWS_ALL = 1_000_000

/** How a text is run. */
export interface GqlCall {
  readonly sql: string
  readonly zone: string
  /** `read`: SET and SELECT; `try`: INSERTs return what they would store; `store`: they store it. */
  readonly kind: 'read' | 'try' | 'store'
  /** What @FROM and @UNTIL are. */
  readonly range?: TimeRange
  /** Rows that are returned at most. */
  readonly rowsMax?: number
  readonly signal?: AbortSignal
}

/** Runs a text; the first rows of its last SELECT. */
export async function runGql(call: GqlCall): Promise<GqlAnswer> {
  return readAnswer(await send(call, { c: String(call.rowsMax ?? ROWS_USUAL) }))
}

/** Runs a saved query over a range; the first rows of its last SELECT. */
export async function runSaved(
  uid: string,
  { range, signal }: Pick<GqlCall, 'range' | 'signal'>,
): Promise<GqlAnswer> {
  const query = new URLSearchParams({ c: String(ROWS_MAX), ...timesOf(range) })
  const path = `/api/query/${encodeURIComponent(uid)}/results?${query}`
  return readAnswer(await request(path, { signal }))
}

function timesOf(range: TimeRange | undefined): Readonly<Record<string, string>> {
  if (range === undefined) return {}
  return { from: String(Math.floor(range.from)), until: String(Math.ceil(range.until)) }
}

/** All rows of a text as CSV; it stores nothing. */
export async function csvOf(call: Omit<GqlCall, 'kind'>, mayTry: boolean): Promise<Blob> {
  return await (await send({ ...call, kind: mayTry ? 'try' : 'read' }, { format: 'csv' })).blob()
}

async function send(
  { sql, zone, kind, range, signal }: GqlCall,
  query: Readonly<Record<string, string>>,
): Promise<Response> {
  if (kind === 'read') {
    const asked = new URLSearchParams({ ...query, ...timesOf(range), s: sql, tz: zone })
    return await request(`/api/gql?${asked}`, { signal })
  }
  const times = range && { from: Math.floor(range.from), until: Math.ceil(range.until) }
  return await request(`/api/gql?${new URLSearchParams(query)}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ sql, tz: zone, dryRun: kind === 'try', ...times }),
    signal,
  })
}

/** Such a row of digits may be more than a number of a script can hold. */
const LONG_DIGITS = /\d{16}/

async function readAnswer(answer: Response): Promise<GqlAnswer> {
  const text = await answer.text()
  return JSON.parse(text, LONG_DIGITS.test(text) ? keepDigits : undefined)
}

function keepDigits(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  const isRounded = typeof value === 'number' && Number.isInteger(value)
  if (!isRounded || Number.isSafeInteger(value)) return value
  const { source } = context ?? {}
  return source !== undefined && /^-?\d+$/.test(source) ? source : value
}

/** The error in a text, when its place is shown beside it. */
export function withoutPlace(message: string): string {
  return message.replace(/^.{0,80}?line \d+, column \d+: /i, '')
}
