/** The parameters of Prometheus' query API, in its words. */
import { type QueryPairs, readLoosePairs } from '../../base/index.ts'
import type { QueryJob } from '../../prometheus/index.ts'
import { PROMQL_POINTS_MAX, PromqlError, readDuration } from '../../promql/plain.ts'

/** The farthest times that a Date can show, in milliseconds. */
const TIME_MS_MAX = 8.64e15

/** The times that clients send for "from the beginning" and "without end". */
const OPEN_TIMES: Readonly<Record<string, number>> = {
  '-292273086-05-16T16:47:06Z': -TIME_MS_MAX,
  '292277025-08-18T07:12:54.999999999Z': TIME_MS_MAX,
}

/** The longest that a query may wait and run together: the default of Prometheus. */
const QUERY_MS_MAX = 120_000

/** Selectors of one call: label browsers send a few. */
export const SELECTORS_MAX = 100

/** The farthest that a look-back may reach: a year. */
const LOOKBACK_MS_MAX = 366 * 86_400_000

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)$/i
const NUMBER = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/

/** The parameters of a form and of the URL; those of the form come first. */
export class Parameters {
  readonly #pairs: QueryPairs

  constructor(queryText: string, form: string) {
    this.#pairs = [...readLoosePairs(form), ...readLoosePairs(queryText)]
  }

  /** The first value of a name; '' where there is none. */
  text(name: string): string {
    return this.#pairs.find(([one]) => one === name)?.[1] ?? ''
  }

  texts(name: string): string[] {
    return this.#pairs.filter(([one]) => one === name).map(([, value]) => value)
  }

  /** A time in milliseconds; undefined where it is not given. */
  time(name: string): number | undefined {
    const text = this.text(name)
    if (text === '') return undefined
    const time = readTime(text)
    if (time === undefined)
      refuseParameter(name, `cannot parse "${text.slice(0, 60)}" to a valid timestamp`)
    return time
  }

  /** A duration in milliseconds; undefined where it is not given. */
  duration(name: string): number | undefined {
    const text = this.text(name)
    if (text === '') return undefined
    const ms = NUMBER.test(text) ? Math.trunc(Number(text) * 1_000_000) / 1_000 : readDuration(text)
    if (ms === undefined || Math.abs(ms) > TIME_MS_MAX) {
      refuseParameter(name, `cannot parse "${text.slice(0, 60)}" to a valid duration`)
    }
    return ms
  }

  /** A number that is not negative; 0 where it is not given. */
  count(name: string): number {
    const text = this.text(name)
    if (text === '') return 0
    if (!/^[-+]?\d{1,15}$/.test(text)) {
      refuseParameter(name, `cannot parse "${text.slice(0, 60)}" to a number`)
    }
    if (Number(text) < 0) refuseParameter(name, `${name} must be non-negative`)
    return Number(text)
  }

  /** How long the call may wait and run together. */
  timeoutMs(): number {
    const given = this.duration('timeout')
    return given === undefined ? QUERY_MS_MAX : Math.max(0, Math.min(given, QUERY_MS_MAX))
  }
}

/** Throws the error of a parameter that is wrong. */
export function refuseParameter(name: string, what: string): never {
  throw new PromqlError('bad_data', `invalid parameter "${name}": ${what}`)
}

/** Seconds with fractions, or RFC 3339; milliseconds. */
function readTime(text: string): number | undefined {
  if (Object.hasOwn(OPEN_TIMES, text)) return OPEN_TIMES[text]
  const time = NUMBER.test(text) ? Math.round(Number(text) * 1000) : readDate(text)
  return time !== undefined && Math.abs(time) <= TIME_MS_MAX ? time : undefined
}

function readDate(text: string): number | undefined {
  if (!RFC_3339.test(text)) return undefined
  const time = Date.parse(text)
  // Date.parse() takes 30 February as 2 March.
  const date = text.slice(0, 10)
  const day = new Date(`${date}T00:00:00Z`)
  const exists = !Number.isNaN(time) && day.toISOString().startsWith(date)
  return exists ? time : undefined
}

/** The query of `/api/v1/query`. */
export function readInstantQuery(parameters: Parameters, now: number): QueryJob {
  return {
    kind: 'instant',
    ...readCommon(parameters),
    time: parameters.time('time') ?? now,
  }
}

/** The query of `/api/v1/query_range`. */
export function readRangeQuery(parameters: Parameters): QueryJob {
  const start = requireTime(parameters, 'start')
  const end = requireTime(parameters, 'end')
  if (end < start) refuseParameter('end', 'end timestamp must not be before start time')
  const stepMs = parameters.duration('step')
  if (stepMs === undefined) refuseParameter('step', 'cannot parse "" to a valid duration')
  const wholeMs = Math.trunc(stepMs)
  if (wholeMs <= 0) {
    refuseParameter(
      'step',
      'zero or negative query resolution step widths are not accepted. Try a positive integer',
    )
  }
  if ((end - start) / wholeMs > PROMQL_POINTS_MAX) {
    const points = PROMQL_POINTS_MAX.toLocaleString('en-US')
    throw new PromqlError(
      'bad_data',
      `exceeded maximum resolution of ${points} points per timeseries. Try decreasing the query resolution (?step=XX)`,
    )
  }
  return { kind: 'range', ...readCommon(parameters), start, end, stepMs: wholeMs }
}

function requireTime(parameters: Parameters, name: string): number {
  const time = parameters.time(name)
  if (time === undefined) refuseParameter(name, 'cannot parse "" to a valid timestamp')
  return time
}

function readCommon(parameters: Parameters) {
  const lookbackMs = parameters.duration('lookback_delta')
  if (lookbackMs !== undefined && (lookbackMs < 1 || lookbackMs > LOOKBACK_MS_MAX)) {
    refuseParameter('lookback_delta', 'must be between 1ms and 366d')
  }
  return {
    text: parameters.text('query'),
    limit: parameters.count('limit'),
    lookbackMs: lookbackMs === undefined ? undefined : Math.trunc(lookbackMs),
  }
}

/** The selectors of the label browser. `end` is checked, and does not narrow the answer. */
export function readSelectors(parameters: Parameters): {
  readonly selectors: readonly string[]
  readonly since: number | undefined
  readonly limit: number
} {
  const start = parameters.time('start')
  const end = parameters.time('end')
  if (start !== undefined && end !== undefined && end < start) {
    refuseParameter('end', 'end timestamp must not be before start time')
  }
  const selectors = parameters.texts('match[]')
  if (selectors.length > SELECTORS_MAX) {
    refuseParameter('match[]', `at most ${SELECTORS_MAX} selectors per call`)
  }
  return { selectors, since: start, limit: parameters.count('limit') }
}

/** The name of a label in a path. Names that start with `U__` have other characters as `_hex_`. */
export function readLabelName(text: string): string {
  const name = text.startsWith('U__') ? unescapeName(text.slice('U__'.length)) : text
  if (name === undefined || name === '') {
    throw new PromqlError('bad_data', `invalid label name: ${JSON.stringify(text.slice(0, 200))}`)
  }
  return name
}

function unescapeName(text: string): string | undefined {
  let isWrong = false
  const name = text.replace(/_(?:_|([0-9a-f]{1,6})_)?/gi, (whole, hex: string | undefined) => {
    if (whole === '__') return '_'
    const point = hex === undefined ? Number.NaN : Number.parseInt(hex, 16)
    if (point <= 0x10ffff && (point < 0xd800 || point >= 0xe000)) return String.fromCodePoint(point)
    isWrong = true
    return ''
  })
  return isWrong ? undefined : name
}
