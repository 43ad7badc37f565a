import { plainDecimal } from '../series/go-format.ts'
import { labelsKey, setLabel } from '../series/label-list.ts'
import { emptySeries, type StepSeries } from '../series/step-series.ts'
import { type Grouping, groupLabelsOf } from './group-series.ts'

/** `count_values`: one series for each value of a group, with the value as a label. */
export function countValues(
  series: readonly StepSeries[],
  grouping: Grouping,
  counted: { readonly label: string; readonly count: number; readonly hold: () => void },
): StepSeries[] {
  const { label, count, hold } = counted
  const labels = grouping.isWithout ? grouping.labels : [...grouping.labels, label]
  const labelsOf = groupLabelsOf({ ...grouping, labels })
  const rows = new Map<string, StepSeries>()
  for (let step = 0; step < count; step++) {
    for (const one of series) {
      if (one.present[step] === 0) continue
      const group = labelsOf(setLabel(one.labels, label, plainDecimal(one.values[step])))
      const key = labelsKey(group)
      let row = rows.get(key)
      if (row === undefined) {
        hold()
        row = emptySeries(group, count)
        rows.set(key, row)
      }
      row.values[step]++
      row.present[step] = 1
    }
  }
  return [...rows.values()]
}
