import { executionError } from '../evaluate/evaluation.ts'
import {
  dropMetadata,
  formatLabels,
  keepLabels,
  labelsKey,
  labelValue,
  removeLabels,
  setLabel,
} from '../series/label-list.ts'
import { emptySeries, type StepSeries, StepTable } from '../series/step-series.ts'
import type { SeriesLabels } from '../source.ts'
import type { OperatorNode, VectorMatching } from '../syntax/query-node.ts'
import { indexByMatch, matchLabelsOf, presenceOf } from './match-series.ts'
import { arithmeticOperations, comparisonOperations } from './number-operations.ts'

/** How a pair of values becomes a value, or nothing. */
interface PairRule {
  /** Undefined when the element is dropped. */
  readonly result: (left: number, right: number) => number | undefined
  readonly dropsMetadata: boolean
}

function pairRule({ operation, isBool }: OperatorNode): PairRule {
  const compute = arithmeticOperations[operation]
  if (compute !== undefined) return { result: compute, dropsMetadata: true }
  const compare = comparisonOperations[operation]
  // Operators on native histograms have no result for numbers.
  if (compare === undefined) return { result: () => undefined, dropsMetadata: false }
  if (isBool)
    return { result: (left, right) => (compare(left, right) ? 1 : 0), dropsMetadata: true }
  return {
    result: (left, right) => (compare(left, right) ? left : undefined),
    dropsMetadata: false,
  }
}

/** An operation between each element of a vector and a number for each step. */
export function combineWithScalar(
  node: OperatorNode,
  series: readonly StepSeries[],
  { scalar, isSwapped }: { readonly scalar: Float64Array; readonly isSwapped: boolean },
): StepSeries[] {
  const rule = pairRule(node)
  const isFilter = comparisonOperations[node.operation] !== undefined && !node.isBool
  const table = new StepTable()
  for (const one of series) {
    const labels = rule.dropsMetadata ? dropMetadata(one.labels) : one.labels
    const row = emptySeries(labels, scalar.length)
    for (let step = 0; step < scalar.length; step++) {
      if (one.present[step] === 0) continue
      const value = one.values[step]
      const result = isSwapped ? rule.result(scalar[step], value) : rule.result(value, scalar[step])
      if (result === undefined) continue
      // A comparison keeps the element of the vector, whatever side it is on.
      row.values[step] = isFilter ? value : result
      row.present[step] = 1
    }
    table.add(row)
  }
  return table.rows()
}

interface Sides {
  readonly left: readonly StepSeries[]
  readonly right: readonly StepSeries[]
  /** How many steps there are. */
  readonly count: number
  /** Called before each new row, to count its memory and to stop. */
  readonly hold: () => void
}

/** An operation between elements of two vectors that match by their labels. */
export function combineVectors(node: OperatorNode, sides: Sides): StepSeries[] {
  return new VectorPairs(node, sides).combine()
}

/** Series by their role: `group_right` makes the left side the "one" side. */
class VectorPairs {
  readonly #matching: VectorMatching
  readonly #rule: PairRule
  readonly #isSwapped: boolean
  readonly #many: readonly StepSeries[]
  readonly #one: readonly StepSeries[]
  readonly #count: number
  readonly #hold: () => void
  readonly #table = new StepTable()
  readonly #names: ReadonlySet<string>

  constructor(node: OperatorNode, { left, right, count, hold }: Sides) {
    this.#hold = hold
    this.#matching = node.matching
    this.#rule = pairRule(node)
    this.#isSwapped = node.matching.cardinality === 'one-to-many'
    this.#many = this.#isSwapped ? right : left
    this.#one = this.#isSwapped ? left : right
    this.#count = count
    this.#names = new Set(node.matching.labels)
  }

  combine(): StepSeries[] {
    const labelsOf = matchLabelsOf(this.#matching)
    const partners = indexByMatch(this.#one, labelsOf)
    this.#requireUniquePartners(partners)
    const taken = new Map<string, Map<string, Uint8Array>>()
    for (const many of this.#many) {
      const match = labelsKey(labelsOf(many.labels))
      const indexes = partners.get(match)
      if (indexes === undefined) continue
      const seen = taken.get(match) ?? new Map<string, Uint8Array>()
      taken.set(match, seen)
      for (const index of indexes) this.#pair(many, this.#one[index], seen)
    }
    return this.#table.rows()
  }

  /** At each step, at most one series of the "one" side may have certain matching labels. */
  #requireUniquePartners(partners: ReadonlyMap<string, readonly number[]>): void {
    let presentMany: Uint8Array | undefined
    for (const indexes of partners.values()) {
      if (indexes.length < 2) continue
      presentMany ??= presenceOf(this.#many, this.#count)
      const owners = new Int32Array(this.#count).fill(-1)
      for (const index of indexes) {
        const { present } = this.#one[index]
        for (let step = 0; step < this.#count; step++) {
          if (present[step] === 0 || presentMany[step] === 0) continue
          if (owners[step] >= 0) throw this.#manyPartners(this.#one[index], this.#one[owners[step]])
          owners[step] = index
        }
      }
    }
  }

  #manyPartners(one: StepSeries, other: StepSeries): Error {
    const { isOn } = this.#matching
    // As in Prometheus, the group is shown with the labels that matching looks at.
    const group = isOn
      ? keepLabels(one.labels, this.#names)
      : removeLabels(one.labels, new Set([...this.#names, '__name__']))
    const side = this.#isSwapped ? 'left' : 'right'
    return executionError(
      `found duplicate series for the match group ${formatLabels(group)} on the ${side} hand-side of the operation: [${formatLabels(one.labels)}, ${formatLabels(other.labels)}];many-to-many matching not allowed: matching labels must be unique on one side`,
    )
  }

  /** Combines two series where both have values. `seen` tells what the same match has yielded already. */
  #pair(many: StepSeries, one: StepSeries, seen: Map<string, Uint8Array>): void {
    const labels = this.#resultLabels(many.labels, one.labels)
    const isOneToOne = this.#matching.cardinality === 'one-to-one'
    const key = isOneToOne ? '' : labelsKey(labels)
    const steps = seen.get(key) ?? new Uint8Array(this.#count)
    seen.set(key, steps)
    this.#hold()
    const row = emptySeries(labels, this.#count)
    const { result } = this.#rule
    for (let step = 0; step < this.#count; step++) {
      if (many.present[step] === 0 || one.present[step] === 0) continue
      if (steps[step] === 1) throw doubleMatch(isOneToOne)
      steps[step] = 1
      const value = this.#isSwapped
        ? result(one.values[step], many.values[step])
        : result(many.values[step], one.values[step])
      if (value === undefined) continue
      row.values[step] = value
      row.present[step] = 1
    }
    this.#table.add(row)
  }

  #resultLabels(many: SeriesLabels, one: SeriesLabels): SeriesLabels {
    const { isOn, cardinality, include } = this.#matching
    let labels = this.#rule.dropsMetadata ? dropMetadata(many) : many
    if (cardinality === 'one-to-one') {
      labels = isOn ? keepLabels(labels, this.#names) : removeLabels(labels, this.#names)
    }
    for (const name of include) labels = setLabel(labels, name, labelValue(one, name))
    return labels
  }
}

function doubleMatch(isOneToOne: boolean): Error {
  return executionError(
    isOneToOne
      ? 'multiple matches for labels: many-to-one matching must be explicit (group_left/group_right)'
      : 'multiple matches for labels: grouping labels must ensure unique matches',
  )
}
