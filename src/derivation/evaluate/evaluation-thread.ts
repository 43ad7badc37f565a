import { KillableThread, refuse, ThreadExhausted } from '../../base/index.ts'
import type { ExpressionType } from '../../expression/index.ts'
import type { DerivationPlan } from '../derivation-plan.ts'
import {
  type Evaluated,
  evaluateRows,
  type RowLimits,
  type RowPlan,
  SHOWN_LENGTH_MAX,
} from './evaluate-rows.ts'
import type { InputColumn } from './input-column.ts'
import type { InputBlock } from './random-block.ts'

/** A formula as it is read and checked again in the thread: terms hold functions, which cannot be sent. */
export interface SentFormula {
  readonly text: string
  readonly variables: readonly { readonly name: string; readonly type: ExpressionType }[]
  readonly timeZoneId: string
}

/** Rows to be evaluated. */
export interface EvaluationRequest {
  readonly formula: SentFormula
  readonly plan: RowPlan
  readonly times: Float64Array
  readonly columns: readonly InputColumn[]
  readonly limits: RowLimits
}

/** Characters that are sent for several rows, or come back: copying them takes the main loop a few milliseconds. */
const SENT_CHARACTERS_MAX = 2_000_000

/** Characters of one row that are sent: no formula may work on more. */
const ROW_CHARACTERS_MAX = 5_000_000

/** CPU time of a request. Its block ends long before: rows of the most characters take half a second. */
const CPU_MS_MAX = 10_000

/** Rows of the most characters take a fifth of it. */
const MEMORY_MB_MAX = 256

interface ThreadSettings {
  readonly name: string
  readonly cpuMsMax?: number
  /** Characters of a result that are needed. */
  readonly textLengthMax?: number
  /** Whether a request beyond its limits is refused; else its first row fails. */
  readonly refusesExhausted?: boolean
}

/**
 * Evaluates rows apart from the main loop, which formulas over long texts would block. A row that takes
 * more CPU time or memory than a request may fails like one whose values do not fit, or is refused.
 */
export class EvaluationThread {
  readonly #thread: KillableThread<EvaluationRequest, Evaluated>
  readonly #cpuMsMax: number
  readonly #refusesExhausted: boolean
  readonly #limits: RowLimits

  constructor(settings: ThreadSettings) {
    const { name, cpuMsMax = CPU_MS_MAX, textLengthMax, refusesExhausted = false } = settings
    this.#cpuMsMax = cpuMsMax
    this.#refusesExhausted = refusesExhausted
    const module = new URL('./evaluation-worker.ts', import.meta.url)
    this.#thread = new KillableThread({ name, module, cpuMsMax, memoryMbMax: MEMORY_MB_MAX })
    this.#limits = {
      charactersMax: undefined,
      resultLengthMax: SENT_CHARACTERS_MAX,
      textLengthMax: textLengthMax ?? Number.POSITIVE_INFINITY,
    }
  }

  /** Evaluates the first rows of a block, as many as fit in a request. */
  async evaluate(plan: DerivationPlan, block: InputBlock): Promise<Evaluated> {
    const { text, variables, timeZoneId, used } = plan.expression
    const { times } = block
    const isUsed = new Set(used)
    const { count, characters } = rowsToSend(block, isUsed)
    if (characters > ROW_CHARACTERS_MAX) {
      const limit = `at most ${ROW_CHARACTERS_MAX} characters`
      return failFirst(plan, block, `The texts that the formula reads are too long: ${limit}`)
    }
    const request = {
      formula: { text, variables: variables.map(({ name, type }) => ({ name, type })), timeZoneId },
      plan: { valueType: plan.valueType, variables: plan.variables.map(({ name }) => ({ name })) },
      times: times.slice(0, count),
      columns: block.columns.map((column, at) => firstRows(column, count, isUsed.has(at))),
      limits: this.#limits,
    }
    try {
      const evaluated = await this.#thread.ask(request)
      return count < times.length ? { cutAt: times[count], ...evaluated } : evaluated
    } catch (error) {
      if (!(error instanceof ThreadExhausted)) throw error
      const limit =
        error.of === 'time' ? `${this.#cpuMsMax / 1_000} s of CPU time` : `${MEMORY_MB_MAX} MB`
      const what = `The formula needs too much ${error.of} for one result: at most ${limit}`
      if (this.#refusesExhausted) refuse('bad_input', { what })
      return failFirst(plan, block, what)
    }
  }

  /** Terminates the thread; a later evaluation starts another. */
  async close(): Promise<void> {
    await this.#thread.close()
  }
}

/** How many rows from the first on are sent, and the characters of the first alone. */
function rowsToSend(
  { times, columns }: InputBlock,
  used: ReadonlySet<number>,
): { readonly count: number; readonly characters: number } {
  let [count, total, first] = [0, 0, 0]
  for (; count < times.length; count += 1) {
    for (const [at, column] of columns.entries()) {
      if (used.has(at)) total += column.texts?.[count]?.length ?? 0
    }
    if (count === 0) first = total
    else if (total > SENT_CHARACTERS_MAX) break
  }
  return { count, characters: first }
}

/** The first rows of a column; of unused texts only the part that an error message shows. */
function firstRows({ numbers, texts, absent }: InputColumn, count: number, isUsed: boolean) {
  const sent = texts?.slice(0, count)
  return {
    numbers: numbers.slice(0, count),
    texts: isUsed ? sent : sent?.map((text) => text?.slice(0, SHOWN_LENGTH_MAX)),
    absent: absent?.slice(0, count),
  }
}

/** A block that ends behind its first row, which fails. */
function failFirst(plan: DerivationPlan, block: InputBlock, message: string): Evaluated {
  const failing = () => {
    throw Object.assign(new Error(message), { name: 'ExpressionError' })
  }
  const { times } = block
  const columns = block.columns.map((column) => firstRows(column, 1, true))
  const compiled = { type: plan.expression.type, evaluate: failing, charactersUsed: () => 0 }
  const failed = evaluateRows(
    plan,
    { ...compiled, evaluateNumbers: undefined },
    { times: times.slice(0, 1), columns },
  )
  return times.length > 1 ? { cutAt: times[1], ...failed } : failed
}
