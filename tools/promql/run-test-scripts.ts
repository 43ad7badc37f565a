/**
 * Runs the public test scripts of Prometheus against the engine of PromQL:
 * `node tools/promql/run-test-scripts.ts <folder with .test files> [name of a file]`.
 * It prints the share that passes per file, and why the rest fails.
 */
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { compileRe2Pattern } from '../../src/prometheus/run/re2-pattern.ts'
import { type QueryResult, queryInstant, queryRange } from '../../src/promql/index.ts'
import { type TestSeries, TestSource } from '../../test/support/promql-series.ts'
import { addSeries, parseScript, type ScriptEvaluation } from './test-script.ts'

const EPSILON = 1e-6

interface Outcome {
  readonly result: QueryResult | undefined
  readonly error: string
}

async function run(evaluation: ScriptEvaluation, source: TestSource): Promise<Outcome> {
  const context = { source, compilePattern: compileRe2Pattern }
  const { query: text, time, range } = evaluation
  try {
    const result =
      range === undefined
        ? await queryInstant({ text, time }, context)
        : await queryRange({ text, ...range }, context)
    return { result, error: '' }
  } catch (error) {
    return { result: undefined, error: error instanceof Error ? error.message : `${error}` }
  }
}

function isClose(a: number, b: number): boolean {
  if (a === b || (Number.isNaN(a) && Number.isNaN(b))) return true
  const sum = Math.abs(a) + Math.abs(b)
  if (a === 0 || b === 0) return Math.abs(a - b) < 1e-300
  return Math.abs(a - b) / Math.min(sum, Number.MAX_VALUE) < EPSILON
}

function keyOf(labels: readonly string[]): string {
  const pairs = labels.flatMap((name, at) => (at % 2 === 0 ? [[name, labels[at + 1]]] : []))
  return JSON.stringify(pairs.sort())
}

/** Series of an answer as lists of time and value. */
function seriesOf({ value }: QueryResult): Array<{ key: string; points: Array<[number, number]> }> {
  if (value.type === 'vector') {
    return value.samples.map((sample) => ({
      key: keyOf(sample.labels),
      points: [[value.time, sample.value]],
    }))
  }
  if (value.type !== 'matrix') return []
  return value.series.map(({ labels, times, values }) => ({
    key: keyOf(labels),
    points: [...times].map((time, at) => [time, values[at]]),
  }))
}

/** What differs from the script; empty when nothing does. */
function compare(evaluation: ScriptEvaluation, { result, error }: Outcome): string {
  const { expectations, series, scalar, range } = evaluation
  const failure = expectations.find(
    (text) => /^expect(?:ed_fail\w*)? ?(?:fail|message|regexp)?/.test(text) && /fail/.test(text),
  )
  if (failure !== undefined)
    return result === undefined ? checkMessage(expectations, error) : 'did not fail'
  if (result === undefined) return error
  const { value } = result
  if (scalar !== undefined) {
    const isRight = value.type === 'scalar' && isClose(value.value, scalar)
    return isRight ? checkAnnotations(expectations, result) : `scalar ${JSON.stringify(value)}`
  }
  const text = expectations.find((line) => line.startsWith('expect string'))
  if (text !== undefined) return value.type === 'string' ? '' : 'no string'
  const found = seriesOf(result)
  const vectorTimes = /range vector from (\S+) to (\S+) step (\S+)/.exec(expectations.join('\n'))
  const expected = series.map(({ labels, points }) => ({
    key: keyOf(
      Object.entries(labels)
        .filter(([, value]) => value !== '')
        .flat(),
    ),
    points: points.flatMap(
      (point, at): Array<[number, number]> =>
        typeof point === 'number'
          ? [[range === undefined ? evaluation.time : range.start + at * range.stepMs, point]]
          : [],
    ),
  }))
  const isOrdered = expectations.includes('expect ordered')
  const byKey = (a: { key: string }, b: { key: string }): number => (a.key < b.key ? -1 : 1)
  const [left, right] = isOrdered ? [expected, found] : [expected.sort(byKey), found.sort(byKey)]
  if (left.length !== right.length)
    return `${right.length} series instead of ${left.length}: ${show(found)}`
  for (const [at, one] of left.entries()) {
    const other = right[at]
    if (one.key !== other.key) return `${other.key} instead of ${one.key}`
    if (one.points.length !== other.points.length)
      return `${show([other])} instead of ${show([one])}`
    for (const [index, [time, number]] of one.points.entries()) {
      const [otherTime, otherNumber] = other.points[index]
      const isTime = vectorTimes !== null || time === otherTime
      if (!isTime || !isClose(number, otherNumber))
        return `${show([other])} instead of ${show([one])}`
    }
  }
  return checkAnnotations(expectations, result)
}

function show(series: unknown): string {
  return JSON.stringify(series, (_, value) =>
    typeof value === 'number' && !Number.isFinite(value) ? `${value}` : value,
  ).slice(0, 300)
}

function checkMessage(expectations: readonly string[], error: string): string {
  for (const line of expectations) {
    const exact = /^(?:expect fail msg: ?|expected_fail_message )(.*)$/.exec(line)
    if (exact !== null && error !== exact[1].replace(/^"(.*)"$/, '$1')) return `message: ${error}`
    const pattern = /^(?:expect fail regex: ?|expected_fail_regexp )(.*)$/.exec(line)
    if (pattern !== null && !new RegExp(pattern[1].replace(/^"(.*)"$/, '$1')).test(error)) {
      return `message: ${error}`
    }
  }
  return ''
}

function checkAnnotations(expectations: readonly string[], result: QueryResult): string {
  for (const line of expectations) {
    const form = /^expect (no_)?(warn|info)(?: (msg|regex): ?(.*))?$/.exec(line)
    if (form === null) continue
    const [, none, kind, match, wanted] = form
    const texts = kind === 'warn' ? result.warnings : result.infos
    if (none !== undefined && texts.length > 0) return `annotation: ${texts.join('; ')}`
    if (none === undefined && texts.length === 0) return `no ${kind}`
    if (match === 'msg' && !texts.some((text) => text.startsWith(wanted)))
      return `annotation: ${texts}`
    if (match === 'regex' && !texts.some((text) => new RegExp(wanted).test(text))) {
      return `annotation: ${texts}`
    }
  }
  return ''
}

/** Evaluates an instant query once more in the middle of a range. */
async function rangeDifference(
  evaluation: ScriptEvaluation,
  { result }: Outcome,
  source: TestSource,
): Promise<string> {
  const { query: text, time } = evaluation
  const type = result?.value.type
  if (result === undefined || (type !== 'vector' && type !== 'scalar')) return ''
  if (/\b(?:start|end|range|step)\s*\(/.test(text)) return ''
  const context = { source, compilePattern: compileRe2Pattern }
  const range = { text, start: time - 60_000, end: time + 60_000, stepMs: 60_000 }
  const wide = await queryRange(range, context).catch((error: Error) => error.message)
  if (typeof wide === 'string') return ''
  const inMiddle = seriesOf(wide)
    .map(({ key, points }) => ({ key, points: points.filter(([at]) => at === time) }))
    .filter(({ points }) => points.length > 0)
  const scalar =
    result.value.type === 'scalar' ? [[time, result.value.value] as [number, number]] : []
  const expected = type === 'scalar' ? [{ key: '[]', points: scalar }] : seriesOf(result)
  const byKey = (a: { key: string }, b: { key: string }): number => (a.key < b.key ? -1 : 1)
  const [left, right] = [show(expected.sort(byKey)), show(inMiddle.sort(byKey))]
  return left === right ? '' : `as a range: ${right} instead of ${left}`
}

async function runFile(file: string, totals: Map<string, number>): Promise<void> {
  let passed = 0
  let failed = 0
  let hasHistograms = false
  const series = new Map<string, TestSeries>()
  for (const command of parseScript(readFileSync(file, 'utf8'))) {
    if (command.kind === 'clear') {
      series.clear()
      hasHistograms = false
      continue
    }
    if (command.kind === 'load') {
      for (const line of command.series) {
        addSeries(series, line, command.stepMs)
        if (line.points.includes('histogram')) hasHistograms = true
      }
      continue
    }
    const { evaluation } = command
    const source = new TestSource([...series.values()], { compilePattern: compileRe2Pattern })
    const outcome = await run(evaluation, source)
    const difference =
      compare(evaluation, outcome) || (await rangeDifference(evaluation, outcome, source))
    if (difference === '') {
      passed++
      continue
    }
    failed++
    const reason = reasonOf(evaluation, outcome, hasHistograms)
    totals.set(reason, (totals.get(reason) ?? 0) + 1)
    console.log(
      `${basename(file)}:${evaluation.line} [${reason}] ${evaluation.query}\n    ${difference}`,
    )
  }
  console.log(`${basename(file)}: ${passed} of ${passed + failed} pass\n`)
  totals.set('passed', (totals.get('passed') ?? 0) + passed)
}

function reasonOf(
  evaluation: ScriptEvaluation,
  { error }: Outcome,
  hasHistograms: boolean,
): string {
  if (error.includes('experimental in Prometheus')) return 'experimental syntax that is refused'
  const isNative = evaluation.series.some(({ points }) => points.includes('histogram'))
  if (isNative || hasHistograms) return 'native histograms'
  return 'other'
}

const [folder, only = ''] = process.argv.slice(2)
const totals = new Map<string, number>()
for (const file of globSync(join(folder, '*.test')).sort()) {
  if (!basename(file).includes(only)) continue
  try {
    await runFile(file, totals)
  } catch (error) {
    console.log(`${basename(file)}: not read: ${error instanceof Error ? error.message : error}\n`)
  }
}
for (const [reason, count] of totals) console.log(`${reason}: ${count}`)
