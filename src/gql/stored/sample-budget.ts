import { refuse } from '../../base/index.ts'
import { ExpressionError } from '../../expression/index.ts'
import { mistakeRefusal } from '../sql-refusals.ts'
import type { Asked } from './asked-rows.ts'

const IDS = ['cid', 'cuid', 'uid', 'id']

/** Where what is refused stands in the text of a run. */
export interface ReadPlace {
  readonly sql: string
  readonly place: readonly [from: number, until: number]
}

/** Refuses a run, with the place of the table that it is about. */
export function refuseRead({ sql, place: [from, until] }: ReadPlace, problem: string): never {
  throw mistakeRefusal(new ExpressionError(problem, sql, { from, until }), 'sql_error')
}

/** How many rows of stored data one run may still be handed. */
export class SampleBudget {
  readonly #rowsMax: number
  #left: number

  constructor(rowsMax: number) {
    this.#rowsMax = rowsMax
    this.#left = rowsMax
  }

  /** Rows that are left. */
  get left(): number {
    return this.#left
  }

  /** Takes rows, or refuses the run and says how it asks for fewer. */
  take(rows: number, asked: Asked, at: ReadPlace): void {
    this.#left -= rows
    if (this.#left < 0) this.refuse(asked, at)
  }

  /** Refuses a run that asks for more rows than are left. */
  refuse(asked: Asked, at: ReadPlace): never {
    const what = asked.isOfSamples ? 'samples' : 'rows'
    const problem = `Cannot run this: ${asked.of} reads more than ${this.#rowsMax} ${what}`
    refuseRead(at, `${problem}. ${adviceOn(asked)}`)
  }
}

/** Which condition is missing. */
function adviceOn({ texts, isTimeBound, sample, isOfSamples }: Asked): string {
  if (!IDS.some((id) => texts.has(id))) {
    return "Add a condition on cid and id, as in WHERE cid = 'c1' AND id = 's1'"
  }
  if (!isOfSamples) return 'Select fewer components and streams'
  const hasRange = sample?.sd !== undefined || sample?.last !== undefined
  if (!isTimeBound && !hasRange && sample?.currentCycle === undefined) {
    return 'Add a condition on time, as in time >= now() - 86400000'
  }
  return "Narrow the time range, or read a statistic, as in SAMPLE(cycleId = 'day', stat = 'max')"
}

/** Refuses an organization that may not read stored data. */
export function refuseNotIncluded(): never {
  refuse('gs_sql_not_included', {
    what: 'Queries of stored data are turned off for this organization. An administrator can set "gsSql" of the organization',
  })
}
