/** Names of Prometheus for metrics and attributes of OpenTelemetry, as Prometheus 3 translates them by default. */

/** What a metric is, as far as its name depends on it. */
export type MetricKind = 'gauge' | 'sum' | 'counter' | 'histogram' | 'summary'

const UNITS: Readonly<Record<string, string>> = {
  d: 'days',
  h: 'hours',
  min: 'minutes',
  s: 'seconds',
  ms: 'milliseconds',
  us: 'microseconds',
  ns: 'nanoseconds',
  By: 'bytes',
  KiBy: 'kibibytes',
  MiBy: 'mebibytes',
  GiBy: 'gibibytes',
  TiBy: 'tibibytes',
  KBy: 'kilobytes',
  MBy: 'megabytes',
  GBy: 'gigabytes',
  TBy: 'terabytes',
  m: 'meters',
  V: 'volts',
  A: 'amperes',
  J: 'joules',
  W: 'watts',
  g: 'grams',
  Cel: 'celsius',
  Hz: 'hertz',
  '1': '',
  '%': 'percent',
}

/** Units after a slash. */
const PER_UNITS: Readonly<Record<string, string>> = {
  s: 'second',
  m: 'minute',
  h: 'hour',
  d: 'day',
  w: 'week',
  mo: 'month',
  y: 'year',
}

const NOT_IN_METRIC_NAMES = /[^a-zA-Z0-9:]+/
const NOT_IN_LABEL_NAMES = /[^a-zA-Z0-9_]/gu
const ONLY_UNDERSCORES = /^_*$/
const DIGIT_FIRST = /^[0-9]/

/** The name of a metric; undefined if nothing of it can be kept. */
export function prometheusName(name: string, unit: string, kind: MetricKind): string | undefined {
  let words = name.split(NOT_IN_METRIC_NAMES).filter((word) => word !== '')
  const [main, per] = unitWords(unit)
  const isMainNew = main !== '' && !words.includes(main)
  const isPerNew = per !== '' && !words.includes(per)
  if (isMainNew) words.push(isPerNew ? main.replace(/_$/, '') : main)
  if (isPerNew) words.push(per)
  if (kind === 'counter') words = atEnd(words, 'total')
  if (kind === 'gauge' && unit === '1') words = atEnd(words, 'ratio')
  const joined = words.join('_')
  if (ONLY_UNDERSCORES.test(joined)) return undefined
  return DIGIT_FIRST.test(joined) ? `_${joined}` : joined
}

/** The words that a unit adds to a name: of `By/s`, `bytes` and `per_second`. */
function unitWords(unit: string): [main: string, per: string] {
  const slash = unit.indexOf('/')
  const main = unitWord(slash < 0 ? unit : unit.slice(0, slash), UNITS)
  const per = slash < 0 ? '' : unitWord(unit.slice(slash + 1), PER_UNITS)
  const perWord = inName(per === '' ? '' : `per_${per}`).replace(/_$/, '')
  return [inName(main), perWord === 'per' ? '' : perWord]
}

/** A unit as a word. Annotations in braces are not part of a name. */
function unitWord(unit: string, words: Readonly<Record<string, string>>): string {
  const text = unit.trim()
  if (/[{}]/.test(text)) return ''
  return Object.hasOwn(words, text) ? words[text] : text
}

function inName(text: string): string {
  return text
    .replace(/[^a-zA-Z0-9:]/gu, '_')
    .replace(/_{2,}/g, '_')
    .replace(/^_/, '')
}

function atEnd(words: readonly string[], last: string): string[] {
  return [...words.filter((word) => word !== last), last]
}

/** The name of a label; undefined if nothing of it can be kept. */
export function prometheusLabel(key: string): string | undefined {
  const name = key.replace(NOT_IN_LABEL_NAMES, '_')
  if (ONLY_UNDERSCORES.test(name)) return undefined
  if (DIGIT_FIRST.test(name)) return `key_${name}`
  return name.startsWith('_') && !name.startsWith('__') ? `key${name}` : name
}

/** A number as Prometheus writes the bounds of buckets and quantiles: without an exponent. */
export function prometheusNumber(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  if (Object.is(value, -0)) return '-0'
  const text = String(value)
  const match = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text)
  if (match === null) return text
  const [, sign, whole, fraction = '', exponent] = match
  const digits = whole + fraction
  const point = whole.length + Number(exponent)
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  return `${sign}${digits.padEnd(point, '0')}`
}
