import { labelsKey } from '../series/label-list.ts'
import { type StepSeries, StepTable } from '../series/step-series.ts'
import type { VectorMatching } from '../syntax/query-node.ts'
import { indexByMatch, matchLabelsOf, presenceOf } from './match-series.ts'

interface Sides {
  readonly left: readonly StepSeries[]
  readonly right: readonly StepSeries[]
  readonly matching: VectorMatching
  /** How many steps there are. */
  readonly count: number
}

/** `and`, `or`, and `unless`: series of one side by whether the other has a match at the step. */
export function combineSets(operation: string, sides: Sides): StepSeries[] {
  const { left, right } = sides
  const table = new StepTable()
  if (operation === 'or') {
    for (const one of left) table.add(one)
    for (const one of filterByMatch(sides, { from: right, by: left, keepsMatched: false })) {
      table.add(one)
    }
    return table.rows()
  }
  const keepsMatched = operation === 'and'
  for (const one of filterByMatch(sides, { from: left, by: right, keepsMatched })) table.add(one)
  return table.rows()
}

function filterByMatch(
  { matching, count }: Sides,
  filter: {
    readonly from: readonly StepSeries[]
    readonly by: readonly StepSeries[]
    readonly keepsMatched: boolean
  },
): StepSeries[] {
  const { from, by, keepsMatched } = filter
  const labelsOf = matchLabelsOf(matching)
  const presence = new Map<string, Uint8Array>()
  for (const [key, indexes] of indexByMatch(by, labelsOf)) {
    presence.set(
      key,
      presenceOf(
        indexes.map((index) => by[index]),
        count,
      ),
    )
  }
  return from.map((one) => {
    const matched = presence.get(labelsKey(labelsOf(one.labels)))
    if (matched === undefined)
      return keepsMatched ? { ...one, present: new Uint8Array(count) } : one
    const wanted = keepsMatched ? 1 : 0
    const present = one.present.map((has, step) => (has === 1 && matched[step] === wanted ? 1 : 0))
    return { ...one, present }
  })
}
