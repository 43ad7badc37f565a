/** Variables that stand for a statistic of periods. */
import { nextIteration } from '../../base/index.ts'
import { type CutQuery, readCutPeriods } from '../../feed/statistic/index.ts'
import type { SampleStore, TextMemory } from '../../store/index.ts'
import { ALL_PERIODS, type Cycle } from '../../time/index.ts'
import type { PlanVariable } from '../derivation-plan.ts'
import { ColumnFiller, type InputColumn } from './input-column.ts'

/** Whom to ask, and where texts are counted. */
export interface ReadDeps {
  readonly store: SampleStore
  readonly memory?: TextMemory
}

/** The rows of a block: the instants whose periods are meant, and up to where samples count. */
interface WindowRows {
  /** Ascending. */
  readonly instants: Float64Array
  /** Of period i samples before cuts[i] count, unless it is an earlier one: that counts as a whole. */
  readonly cuts: Float64Array
}

/** A stream as statistics are asked of it. */
export function cutQueryOf({ handle, source }: PlanVariable): Omit<CutQuery, 'statistic'> {
  return { handle, baseCycle: source.cycle, isDecimal: source.valueType === 'BIG_DECIMAL' }
}

/** The column of a variable with a cycle and a statistic; absent where nothing is known of a period. */
export async function windowColumn(
  { store, memory }: ReadDeps,
  variable: PlanVariable & { readonly window: NonNullable<PlanVariable['window']> },
  { instants, cuts }: WindowRows,
): Promise<InputColumn> {
  const { window, offset } = variable
  const { froms, untils } = periodsAt(window.cycle, instants, -offset)
  const rows: number[] = []
  for (let row = 0; row < instants.length; row++) if (!Number.isNaN(froms[row])) rows.push(row)
  const pick = (column: Float64Array) => Float64Array.from(rows, (row) => column[row])
  const values = await readCutPeriods(
    store.reads?.() ?? store,
    { ...cutQueryOf(variable), statistic: window.stat, memory },
    {
      count: rows.length,
      froms: pick(froms),
      untils: pick(untils),
      cuts:
        offset === 0 ? pick(cuts) : new Float64Array(rows.length).fill(Number.POSITIVE_INFINITY),
    },
  )
  // A formula may have a thousand of them.
  await nextIteration()
  const column = new ColumnFiller(instants.length)
  for (const [at, row] of rows.entries()) {
    if (values.isRecorded[at] === 1) column.set(row, values.data[at])
  }
  return column
}

/** For ascending instants, the periods that are `before` places earlier; NaN where there is none. */
function periodsAt(cycle: Cycle, instants: Float64Array, before: number) {
  const froms = new Float64Array(instants.length).fill(Number.NaN)
  const untils = new Float64Array(instants.length).fill(Number.NaN)
  if (instants.length === 0) return { froms, untils }
  const { fixedMs } = cycle
  if (fixedMs !== undefined) {
    const base = cycle.periodOf(instants[0])?.from ?? 0
    for (let row = 0; row < instants.length; row++) {
      const mutex = Math.floor((instants[row] - base) / fixedMs) - before
      froms[row] = base + mutex * fixedMs
      untils[row] = froms[row] + fixedMs
    }
    return { froms, untils }
  }
  const until = instants[instants.length - 1] + 1
  const among = cycle.countPeriods({ from: instants[0], until })
  const known = cycle.periods({ from: ALL_PERIODS.from, until }, among + before + 1)
  let at = 0
  for (let row = 0; row < instants.length; row++) {
    while (at < known.count && known.untils[at] <= instants[row]) at += 1
    if (at >= known.count || known.froms[at] > instants[row] || at < before) continue
    froms[row] = known.froms[at - before]
    untils[row] = known.untils[at - before]
  }
  return { froms, untils }
}
