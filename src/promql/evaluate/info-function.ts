import { formatLabels, labelsKey, labelValue, setLabel } from '../series/label-list.ts'
import { emptySeries, type StepGrid, type StepSeries, StepTable } from '../series/step-series.ts'
import type { CompilePattern, SeriesLabels, SeriesMatcher } from '../source.ts'
import { type FunctionNode, type QueryNode, unwrapParens } from '../syntax/query-node.ts'
import { type Evaluation, evaluateVector, executionError, stepTime } from './evaluation.ts'
import { latestSamples } from './instant-selector.ts'

/** Labels by which a series finds its info series. */
const identifyingLabels = ['instance', 'job']

/** Most characters of the values of one of them: those of 100,000 usual instances. */
const IDENTITY_CHARS_MAX = 4_000_000

/** `info`: adds labels of info series, such as target_info, to series with the same `instance` and `job`. */
export async function evaluateInfo(
  evaluation: Evaluation,
  node: FunctionNode,
  grid: StepGrid,
): Promise<StepSeries[]> {
  const base = await evaluateVector(evaluation, node.args[0], grid)
  const matchers = infoMatchers(node)
  const accepts = matcherTests(nameMatchers(matchers), evaluation.compilePattern)
  const isInfo = (labels: SeriesLabels): boolean =>
    accepts.every((test) => test(labelValue(labels, '__name__')))
  const enriched = base.filter(({ labels }) => !isInfo(labels))
  const dataMatchers = matchers.filter(({ name }) => name !== '__name__')
  const infos = await readInfos(evaluation, { node, grid, enriched, matchers })
  const emptyTests = matcherTests(dataMatchers, evaluation.compilePattern)
  const join = new InfoJoin(infos, {
    names: new Set(dataMatchers.map(({ name }) => name)),
    needsInfo: !emptyTests.every((test) => test('')),
    grid,
  })
  const table = new StepTable()
  for (const row of base) {
    if (isInfo(row.labels)) table.add(row)
    else for (const joined of join.rowsOf(row)) table.add(joined)
  }
  return table.rows()
}

function infoMatchers(node: FunctionNode): readonly SeriesMatcher[] {
  const second = node.args[1] === undefined ? undefined : unwrapParens(node.args[1])
  return second?.kind === 'selector' ? second.matchers : []
}

/** The matchers that decide which series are info series. */
function nameMatchers(matchers: readonly SeriesMatcher[]): SeriesMatcher[] {
  const named = matchers.filter(({ name }) => name === '__name__')
  if (named.some(({ operation }) => operation === '=' || operation === '=~')) return named
  if (named.length > 0) return [{ name: '__name__', operation: '=~', value: '.+_info' }, ...named]
  return [{ name: '__name__', operation: '=', value: 'target_info' }]
}

function matcherTests(
  matchers: readonly SeriesMatcher[],
  compilePattern: CompilePattern,
): Array<(value: string) => boolean> {
  return matchers.map(({ operation, value }) => {
    if (operation === '=') return (text) => text === value
    if (operation === '!=') return (text) => text !== value
    const pattern = compilePattern(value)
    return (text) => pattern.matches(text) === (operation === '=~')
  })
}

interface InfoRequest {
  readonly node: FunctionNode
  readonly grid: StepGrid
  readonly enriched: readonly StepSeries[]
  readonly matchers: readonly SeriesMatcher[]
}

/** The info series of the series to enrich. Their values are the times of their samples. */
async function readInfos(
  evaluation: Evaluation,
  { node, grid, enriched, matchers }: InfoRequest,
): Promise<StepSeries[]> {
  const identity: SeriesMatcher[] = []
  for (const name of identifyingLabels) {
    const values = new Set(enriched.map(({ labels }) => labelValue(labels, name)))
    values.delete('')
    if (values.size === 0) continue
    requireShort(values)
    const value = [...values].map(quotePattern).join('|')
    identity.push({ name, operation: '=~', value })
  }
  if (identity.length === 0) return []
  const data = matchers.filter(({ name }) => name !== '__name__')
  const all = [...identity, ...data, ...nameMatchers(matchers)]
  const at = timeShiftOf(evaluation, node.args[0])
  const infoGrid = at === undefined ? grid : { ...grid, start: at, stepMs: 0 }
  return latestSamples(evaluation, { matchers: all, grid: infoGrid, part: 'time' })
}

/** The values become one text, which the heap of a thread must hold. */
function requireShort(values: ReadonlySet<string>): void {
  let chars = 0
  for (const value of values) chars += value.length
  if (chars > IDENTITY_CHARS_MAX) {
    throw executionError('info() finds too many values of "instance" and "job". Add matchers')
  }
}

/** The time of `@` of the first selector in a node, which holds for info series, too. */
function timeShiftOf(evaluation: Evaluation, node: QueryNode): number | undefined {
  const inner = unwrapParens(node)
  if (inner.kind !== 'selector' || inner.at === undefined) return undefined
  if (inner.at === 'start') return evaluation.whole.start
  return inner.at === 'end' ? evaluation.whole.end : inner.at
}

function quotePattern(text: string): string {
  return text.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&')
}

interface JoinOptions {
  /** Labels that are copied; all when there is none. */
  readonly names: ReadonlySet<string>
  /** Whether a series without info series is left out. */
  readonly needsInfo: boolean
  readonly grid: StepGrid
}

/** Info series by the labels that identify their targets. */
class InfoJoin {
  readonly #options: JoinOptions
  readonly #byTarget = new Map<string, StepSeries[]>()

  constructor(infos: readonly StepSeries[], options: JoinOptions) {
    this.#options = options
    for (const info of infos) {
      const key = targetKey(info.labels)
      const same = this.#byTarget.get(key)
      if (same === undefined) this.#byTarget.set(key, [info])
      else same.push(info)
    }
  }

  /** A series with the labels of its info series; several when these change over time. */
  rowsOf(row: StepSeries): StepSeries[] {
    const infos = this.#byTarget.get(targetKey(row.labels)) ?? []
    const byNewest = new Map<string, StepSeries>()
    const { grid } = this.#options
    for (let step = 0; step < grid.count; step++) {
      if (row.present[step] === 0) continue
      const newest = newestInfos(infos, step, stepTime(grid, step))
      if (newest.length === 0 && this.#options.needsInfo) continue
      const labels = this.#enrich(row.labels, newest)
      const key = labelsKey(labels)
      let joined = byNewest.get(key)
      if (joined === undefined) {
        joined = emptySeries(labels, grid.count)
        byNewest.set(key, joined)
      }
      joined.values[step] = row.values[step]
      joined.present[step] = 1
    }
    return [...byNewest.values()]
  }

  #enrich(labels: SeriesLabels, infos: readonly StepSeries[]): SeriesLabels {
    const added = new Map<string, string>()
    const { names } = this.#options
    for (const info of infos) {
      for (let at = 0; at < info.labels.length; at += 2) {
        const name = info.labels[at]
        const value = info.labels[at + 1]
        if (name === '__name__' || (names.size > 0 && !names.has(name))) continue
        const other = added.get(name)
        if (other !== undefined && other !== value) {
          throw executionError(`conflicting label: ${name}`)
        }
        if (labelValue(labels, name) === '') added.set(name, value)
      }
    }
    let enriched = labels
    for (const [name, value] of added) enriched = setLabel(enriched, name, value)
    return enriched
  }
}

function targetKey(labels: SeriesLabels): string {
  return labelsKey(identifyingLabels.map((name) => labelValue(labels, name)))
}

/** Of each info metric, the series whose sample is the newest at a step. */
function newestInfos(infos: readonly StepSeries[], step: number, time: number): StepSeries[] {
  const newest = new Map<string, StepSeries>()
  for (const info of infos) {
    if (info.present[step] === 0) continue
    const name = labelValue(info.labels, '__name__')
    const other = newest.get(name)
    if (other !== undefined && other.values[step] === info.values[step]) {
      throw executionError(
        `found duplicate series for info metric: existing ${formatLabels(other.labels)} @ ${time}, new ${formatLabels(info.labels)} @ ${time}`,
      )
    }
    if (other === undefined || other.values[step] < info.values[step]) newest.set(name, info)
  }
  return [...newest.values()]
}
