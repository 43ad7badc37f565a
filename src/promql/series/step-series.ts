import { PromqlError } from '../promql-error.ts'
import type { SeriesLabels } from '../source.ts'
import { labelsKey } from './label-list.ts'

/** The times at which an expression is evaluated: start + k · stepMs. */
export interface StepGrid {
  readonly start: number
  readonly stepMs: number
  readonly count: number
}

/** One series of a result: a value for each step of its grid, where `present` is 1. */
export interface StepSeries {
  readonly labels: SeriesLabels
  readonly values: Float64Array
  readonly present: Uint8Array
}

/** The result of an expression on a grid. */
export type StepValue =
  | { readonly type: 'scalar'; readonly values: Float64Array }
  | { readonly type: 'vector'; readonly series: readonly StepSeries[] }

/** A series without values. */
export function emptySeries(labels: SeriesLabels, count: number): StepSeries {
  return { labels, values: new Float64Array(count), present: new Uint8Array(count) }
}

/** Whether the series has a value at any step. */
export function hasValues(series: StepSeries): boolean {
  const { present } = series
  for (let step = 0; step < present.length; step++) if (present[step] === 1) return true
  return false
}

/** The error of a vector in which two elements have equal labels. */
export function sameLabelsError(): PromqlError {
  return new PromqlError('execution', 'vector cannot contain metrics with the same labelset')
}

/** Series by their labels. Those with equal labels become one, unless both have a value at one step. */
export class StepTable {
  readonly #rows = new Map<string, StepSeries>()

  add(series: StepSeries): void {
    const key = labelsKey(series.labels)
    const known = this.#rows.get(key)
    if (known === undefined) {
      this.#rows.set(key, series)
      return
    }
    const values = known.values.slice()
    const present = known.present.slice()
    for (let step = 0; step < present.length; step++) {
      if (series.present[step] === 0) continue
      if (present[step] === 1) throw sameLabelsError()
      present[step] = 1
      values[step] = series.values[step]
    }
    this.#rows.set(key, { labels: known.labels, values, present })
  }

  /** All series that have a value, in the order in which their labels were added first. */
  rows(): StepSeries[] {
    return [...this.#rows.values()].filter(hasValues)
  }
}
