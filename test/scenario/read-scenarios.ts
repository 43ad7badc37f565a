/** One step of a scenario: a line, and the indented lines below it. */
export interface Step {
  readonly line: number
  readonly words: string
  readonly below: readonly string[]
  /** What the lines that begin with `expect` behind the step say, in order. */
  readonly expected: readonly string[]
}

/** A story with a title; a file holds several. */
export interface Scenario {
  readonly title: string
  readonly steps: readonly Step[]
}

/** Reads a scenario file: see test/scenario/README.md for how one is written. */
export function readScenarios(text: string): Scenario[] {
  const scenarios: { title: string; steps: OpenStep[] }[] = []
  for (const [at, raw] of text.split('\n').entries()) {
    const line = raw.trimEnd()
    if (line === '' || line.startsWith('#')) continue
    const scenario = scenarios.at(-1)
    const step = scenario?.steps.at(-1)
    if (line.startsWith('scenario ')) scenarios.push({ title: line.slice(9), steps: [] })
    else if (scenario === undefined) throw new Error(`line ${at + 1} stands before any scenario`)
    else if (line.startsWith('  ')) step?.below.push(line.trim())
    else if (line.startsWith('expect ')) step?.expected.push(line.slice(7))
    else scenario.steps.push({ line: at + 1, words: line, below: [], expected: [] })
  }
  return scenarios
}

interface OpenStep extends Step {
  readonly below: string[]
  readonly expected: string[]
}

const TIME = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d(?:\.\d{3})?)?(?:Z|[+-]\d\d:\d\d)?`

/** Epoch milliseconds of a time such as `2024-03-31 02:30`, local to a zone unless it has an offset. */
export function readTime(text: string, zone: string): number {
  const iso = text.replace(' ', 'T')
  if (/(?:Z|[+-]\d\d:\d\d)$/.test(iso)) return Temporal.Instant.from(iso).epochMilliseconds
  return Temporal.PlainDateTime.from(iso).toZonedDateTime(zone, { disambiguation: 'reject' })
    .epochMilliseconds
}

/** A text in which times in square brackets are replaced by their epoch milliseconds. */
export function withTimes(text: string, zone: string): string {
  return text.replaceAll(new RegExp(String.raw`\[(${TIME})\]`, 'g'), (_, time) =>
    String(readTime(time, zone)),
  )
}

/** A row of samples: what it belongs to, its time and its value, and the rest of the line. */
export interface Row {
  readonly name: string | undefined
  readonly time: number | undefined
  readonly data: unknown
  readonly from: number | undefined
  readonly fData: string | undefined
  readonly unit: string | undefined
}

const ROW = new RegExp(
  String.raw`^(?:(?!\d{4}-)(\S+) ?)?(${TIME})? ?= ("[^"]*"|\S+)(?: from (${TIME}))?(?: shown "([^"]*)")?(?: unit "([^"]*)")?$`,
)

/** Reads a row such as `Meter/kwh 2024-03-31 02:30 = 5 from 2024-03-31 01:00`. */
export function readRow(text: string, zone: string): Row {
  const match = ROW.exec(withTimes(text, zone))
  if (match === null) throw new Error(`cannot read the row "${text}"`)
  const [, name, time, data, from, fData, unit] = match
  const timeOf = (given: string | undefined) =>
    given === undefined ? undefined : readTime(given, zone)
  return { name, fData, unit, data: JSON.parse(data), time: timeOf(time), from: timeOf(from) }
}

/** A stream's line: its words, and the derivation behind `=` where there is one. */
export function readFormula(line: string): {
  readonly words: readonly string[]
  readonly derivation: Readonly<Record<string, unknown>>
} {
  const [, plain, expression, names, options = ''] =
    /^(.*?)(?: = (.*) where (.*?)(?:; (.*))?)?$/.exec(line) ?? []
  const words = plain.split(' ')
  if (expression === undefined) return { words, derivation: {} }
  const derivation = {
    expression,
    variables: names.split(', ').map(readVariable),
    trigger: options.includes('any') ? 'ANY' : 'ALL',
    followsCorrections: options.includes('follows corrections'),
  }
  return { words, derivation: { streamDerivationType: 'FROM_EXPRESSION', derivation } }
}

/** A variable such as `a is Meter/kwh`, `b is kwh offset -1` or `c is kwh sum by day`. */
function readVariable(text: string): Readonly<Record<string, unknown>> {
  const match = /^(\S+) is (?:(\S+)\/)?(\S+)(?: (\S+) by (\S+))?(?: offset (-?\d+))?$/.exec(text)
  if (match === null) throw new Error(`cannot read the variable "${text}"`)
  const [, name, componentId, streamId, stat = '', cycleId = '', offset = '0'] = match
  return {
    name,
    streamId,
    stat,
    cycleId,
    offset: Number(offset),
    ...(componentId === undefined ? {} : { componentId }),
  }
}
