/**
 * What a derived stream holds, computed in plain lines over whole streams: no blocks, no columns, no
 * look at the store. Statistics come from the oracle; only calendars and formulas are shared.
 */
import type { DerivationPlan, PlanVariable } from '../../src/derivation/derivation-plan.ts'
import { compileExpression, type ExpressionValue } from '../../src/expression/index.ts'
import type { CycleDefinition, Period } from '../../src/time/index.ts'
import { oracleStatistic, type Placed } from './statistic-oracle.ts'

/** A source: its samples, and the definition of its base cycle where it has intervals. */
export interface ModelStream {
  readonly samples: ReadonlyMap<number, number | string>
  readonly base: { readonly definition: CycleDefinition; readonly zone: string } | undefined
}

interface Filled {
  readonly start: number
  readonly time: number
  readonly value: number | string | null
}

type Streams = ReadonlyMap<number, ModelStream>
type Value = number | string | null | undefined

/** Every result of a plan, and the times at which its formula failed. */
export function modelResults(plan: DerivationPlan, streams: Streams) {
  const model = new Model(plan, streams)
  const compiled = compileExpression(plan.expression)
  const results = new Map<number, number | string>()
  const failed: number[] = []
  for (const time of model.times()) {
    const values = plan.variables.map((variable) => model.valueAt(variable, time))
    if (values.includes(undefined)) continue
    try {
      const result = compiled.evaluate(values as ExpressionValue[])
      if (result !== null) results.set(time, typeof result === 'string' ? result : Number(result))
    } catch {
      failed.push(time)
    }
  }
  return { results, failed }
}

class Model {
  readonly #plan: DerivationPlan
  readonly #streams: Streams
  readonly #filled = new Map<number, Filled[]>()

  constructor(plan: DerivationPlan, streams: Streams) {
    this.#plan = plan
    this.#streams = streams
    for (const variable of plan.variables) {
      this.#filled.set(variable.handle, this.#fill(variable))
    }
  }

  times(): number[] {
    const lists = [...this.#filled.values()]
    const { trigger, result } = this.#plan
    const isAny = trigger === 'ANY'
    const some = (holds: (list: Filled[]) => boolean) =>
      isAny ? lists.some(holds) : lists.every(holds)
    if (result.kind === 'random') {
      const all = [...new Set(lists.flat().map(({ time }) => time))].sort((a, b) => a - b)
      return all.filter((time) => some((list) => list.some((sample) => sample.time === time)))
    }
    const ends = new Set<number>()
    for (const { start, time } of lists.flat()) {
      for (let at = start; ; ) {
        const period = result.cycle.periodOf(at)
        if (period === undefined) break
        ends.add(period.until)
        if (period.until >= time) break
        at = period.until
      }
    }
    const [first, last] = [Math.min(...ends), Math.max(...ends)]
    const every: number[] = []
    for (let end = first; end <= last; end = result.cycle.periodOf(end)?.until ?? Infinity) {
      every.push(end)
    }
    return every.filter((end) => {
      const from = result.cycle.periodOf(end - 1)?.from ?? 0
      const isIn = ({ start }: Filled) => start >= from && start < end
      if (isAny && !lists.some((list) => list.some(isIn))) return false
      return some((list) => list.some(({ time }) => time >= end))
    })
  }

  valueAt(variable: PlanVariable, time: number): Value {
    const { result } = this.#plan
    const { window, offset, source } = variable
    const isInterval = source.kind === 'interval'
    if (window !== undefined) {
      const isBefore = result.kind === 'interval' || isInterval
      const period = stepBack(window.cycle, isBefore ? time - 1 : time, -offset)
      const isUpTo = result.kind === 'random' || isInterval
      const cut = offset < 0 ? Number.POSITIVE_INFINITY : isUpTo ? time : time - 1
      return this.#statistic(variable, period, { name: window.stat, cut })
    }
    const filled = this.#filled.get(variable.handle) ?? []
    if (result.kind === 'random') {
      const known = filled.filter((sample) => sample.time <= time)
      return known.at(-1 + offset)?.value
    }
    const period = stepBack(result.cycle, time - 1, -offset)
    if (period === undefined) return undefined
    const name = variable.rollup ?? 'last'
    const value = this.#statistic(variable, period, { name, cut: Number.POSITIVE_INFINITY })
    if (value !== undefined || this.#plan.trigger === 'ALL') return value
    return filled.findLast(({ start }) => start < period.from)?.value
  }

  #statistic(
    { handle, source }: PlanVariable,
    period: Period | undefined,
    { name, cut }: { readonly name: string; readonly cut: number },
  ): Value {
    if (period === undefined) return undefined
    const { from: sdTime, until: time } = period
    const inside = (this.#filled.get(handle) ?? []).filter(
      (sample) => sample.start >= sdTime && sample.start < time && sample.time <= cut,
    )
    if (inside.length === 0) return undefined
    const samples: Placed[] = inside.flatMap((sample) => {
      const { start, time: end, value } = sample
      const until = source.kind === 'interval' ? end : start
      return value === null ? [] : [{ start, end: until, time: end, value }]
    })
    const { base } = this.#streams.get(handle) as ModelStream
    return oracleStatistic(name, { stream: { samples: new Map(), base }, samples, sdTime, time })
  }

  /** The samples of a source in order; the gaps of an interval stream are samples without a value. */
  #fill({ handle, source }: PlanVariable): Filled[] {
    const { samples } = this.#streams.get(handle) as ModelStream
    const stored = [...samples].sort(([a], [b]) => a - b)
    if (source.cycle === undefined) {
      return stored.map(([time, value]) => ({ start: time, time, value }))
    }
    const filled: Filled[] = []
    const last = stored.at(-1)?.[0] ?? Number.NEGATIVE_INFINITY
    for (let end = stored.at(0)?.[0] ?? Number.POSITIVE_INFINITY; end <= last; ) {
      const start = source.cycle.periodOf(end - 1)?.from ?? 0
      filled.push({ start, time: end, value: samples.get(end) ?? null })
      end = source.cycle.periodOf(end)?.until ?? Number.POSITIVE_INFINITY
    }
    return filled
  }
}

function stepBack(
  cycle: { periodOf(at: number): Period | undefined },
  instant: number,
  steps: number,
): Period | undefined {
  let period = cycle.periodOf(instant)
  for (let step = 0; step < steps && period !== undefined; step++) {
    period = cycle.periodOf(period.from - 1)
  }
  return period
}
