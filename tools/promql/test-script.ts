/** Scripts in the test language of Prometheus (`promql/promqltest`): commands that load series and evaluate queries. */

import { parseQuery } from '../../src/promql/syntax/parse-query.ts'
import { readDuration, readNumberLiteral } from '../../src/promql/syntax/text-literals.ts'
import { setStale, type TestSeries } from '../../test/support/promql-series.ts'

/** Points of one line; a native histogram is `histogram`, which the engine does not have. */
export type ScriptPoint = number | 'none' | 'stale' | 'histogram'

export interface ScriptLine {
  readonly labels: Readonly<Record<string, string>>
  readonly points: readonly ScriptPoint[]
}

export interface ScriptEvaluation {
  readonly line: number
  readonly query: string
  readonly time: number
  /** Set for a range query. */
  readonly range?: { readonly start: number; readonly end: number; readonly stepMs: number }
  readonly expectations: readonly string[]
  /** The expected series, or a scalar without labels. */
  readonly series: readonly ScriptLine[]
  readonly scalar: number | undefined
}

export type ScriptCommand =
  | { readonly kind: 'clear' }
  | { readonly kind: 'load'; readonly stepMs: number; readonly series: readonly ScriptLine[] }
  | { readonly kind: 'eval'; readonly evaluation: ScriptEvaluation }

function milliseconds(text: string): number {
  return readDuration(text) ?? readNumberLiteral(text) * 1000
}

/** Splits a script into its commands. */
export function parseScript(text: string): ScriptCommand[] {
  const commands: ScriptCommand[] = []
  const lines = text.split('\n').map((line) => line.replace(/^\s*#.*$/, ''))
  for (let at = 0; at < lines.length; at++) {
    const head = lines[at].trim()
    if (head === '') continue
    const first = at
    const body: string[] = []
    while (at + 1 < lines.length && lines[at + 1].trim() !== '' && !isHead(lines[at + 1])) {
      body.push(lines[++at].trim())
    }
    commands.push(readCommand(head, body, first + 1))
  }
  return commands
}

function isHead(line: string): boolean {
  return /^(?:clear|load\w*|eval\w*)\b/.test(line.trim()) && !/^\s/.test(line)
}

function readCommand(head: string, body: readonly string[], line: number): ScriptCommand {
  if (head === 'clear') return { kind: 'clear' }
  const load = /^load\w*\s+(\S+)/.exec(head)
  if (load !== null) {
    const series = body.map(readSeries)
    // The suffix also makes native histograms of classic ones.
    if (head.startsWith('load_with_nhcb')) series.push({ labels: {}, points: ['histogram'] })
    return { kind: 'load', stepMs: milliseconds(load[1]), series }
  }
  return { kind: 'eval', evaluation: readEvaluation(head, body, line) }
}

function readEvaluation(head: string, body: readonly string[], line: number): ScriptEvaluation {
  const instant = /^eval(?:_(\w+))?\s+instant\s+(?:at\s+(\S+)\s+)?([\s\S]*)$/.exec(head)
  const range =
    /^eval(?:_(\w+))?\s+range\s+from\s+(\S+)\s+to\s+(\S+)\s+step\s+(\S+)\s+([\s\S]*)$/.exec(head)
  if (instant === null && range === null) throw new Error(`line ${line}: ${head}`)
  const old = instant?.[1] ?? range?.[1]
  const expectations = old === undefined ? [] : [`expect ${old}`]
  const series: ScriptLine[] = []
  let scalar: number | undefined
  for (const text of body) {
    if (/^expect(?:ed_fail)?[ _]/.test(text)) expectations.push(text)
    else if (/^[-+]?(?:[0-9.][0-9.eE+-]*|Inf|NaN)$/i.test(text)) scalar = numberOf(text)
    else series.push(readSeries(text))
  }
  const common = { line, expectations, series, scalar }
  if (range !== null) {
    const [, , start, end, step, query] = range
    const steps = { start: milliseconds(start), end: milliseconds(end), stepMs: milliseconds(step) }
    return { ...common, query, time: steps.start, range: steps }
  }
  const [, , time = '0', query] = instant ?? []
  return { ...common, query, time: milliseconds(time) }
}

function readSeries(text: string): ScriptLine {
  const form =
    /^((?:[A-Za-z_:][\w:]*)?\s*(?:\{(?!\{)(?:[^"'`{}]|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)*\})?)\s*([\s\S]*)$/.exec(
      text,
    )
  const metric = form?.[1].trim() ?? ''
  const labels: Record<string, string> = {}
  if (metric !== '' && metric !== '{}') {
    const node = parseQuery(metric)
    if (node.kind !== 'selector') throw new Error(text)
    for (const { name, value } of node.matchers) labels[name] = value
  }
  return { labels, points: readPoints(form?.[2] ?? '') }
}

function readPoints(text: string): ScriptPoint[] {
  const points: ScriptPoint[] = []
  for (const [token] of text.matchAll(/\{\{.*?\}\}(?:[-+]\{\{.*?\}\})?(?:x[0-9]+)?|\S+/g)) {
    if (token.startsWith('@')) throw new Error(`start timestamps: ${token}`)
    points.push(...readPoint(token))
  }
  return points
}

function readPoint(token: string): ScriptPoint[] {
  if (token.startsWith('{{')) {
    const times = /x([0-9]+)$/.exec(token)
    return new Array<ScriptPoint>(Number(times?.[1] ?? 0) + 1).fill('histogram')
  }
  const plain = /^(_|stale)(?:x([0-9]+))?$/.exec(token)
  if (plain !== null) {
    const point = plain[1] === '_' ? 'none' : 'stale'
    // A blank is written as often as the number says; a value once more.
    const count = plain[2] === undefined ? 1 : Number(plain[2]) + (point === 'none' ? 0 : 1)
    return new Array<ScriptPoint>(count).fill(point)
  }
  const form =
    /^([-+]?(?:Inf|NaN|[0-9.]+(?:e[-+]?[0-9]+)?))(?:([-+](?:Inf|NaN|[0-9.]+(?:e[-+]?[0-9]+)?))?x([0-9]+))?$/i.exec(
      token,
    )
  if (form === null) throw new Error(`point: ${token}`)
  const [, first, step = '0', repeats = '0'] = form
  const increment = numberOf(step)
  const points: ScriptPoint[] = []
  let value = numberOf(first)
  for (let at = 0; at <= Number(repeats); at++) {
    points.push(value)
    value += increment
  }
  return points
}

function numberOf(text: string): number {
  const sign = text.startsWith('-') ? -1 : 1
  return sign * readNumberLiteral(text.replace(/^[-+]/, ''))
}

/** Adds a line of `load` to the series of a test. */
export function addSeries(known: Map<string, TestSeries>, line: ScriptLine, stepMs: number): void {
  const key = JSON.stringify(Object.entries(line.labels).sort())
  const old = known.get(key)
  const samples = new Map<number, ScriptPoint>()
  for (const [at, time] of (old?.times ?? []).entries()) samples.set(time, old?.values[at] ?? 0)
  for (const [at, point] of line.points.entries()) {
    if (point !== 'none' && point !== 'histogram') samples.set(at * stepMs, point)
  }
  const times = [...samples.keys()].sort((a, b) => a - b)
  const values = new Float64Array(times.length)
  for (const [at, time] of times.entries()) {
    const point = samples.get(time)
    if (point === 'stale') setStale(values, at)
    else values[at] = Number(point)
  }
  known.set(key, { labels: line.labels, times, values })
}
