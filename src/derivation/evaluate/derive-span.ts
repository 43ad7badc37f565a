import { type EpochMs, epochMs, refuse, TIME_END } from '../../base/index.ts'
import type { ValueType } from '../../catalog/shape/index.ts'
import type { CheckedExpression } from '../../expression/index.ts'
import type { SampleColumns, SampleStore, TextMemory } from '../../store/index.ts'
import type { DerivationPlan } from '../derivation-plan.ts'
import { BlockTime, blockPacer } from './block-time.ts'
import {
  type DerivationFailures,
  type Evaluated,
  evaluateRows,
  UNHURRIED,
} from './evaluate-rows.ts'
import type { EvaluationThread } from './evaluation-thread.ts'
import { readIntervalBlock } from './interval-block.ts'
import { type BlockQuery, type InputBlock, readRandomBlock } from './random-block.ts'
import {
  gapVariablesOf,
  givesNothingOfNulls,
  isMostlyEmpty,
  jumpsOverNothing,
  nextKnown,
} from './skip-gaps.ts'

/** Rows of one block: some milliseconds of work, and a few megabytes for each variable. */
const BLOCK_ROWS = 16_384

/** With many variables a block has fewer rows, so that all of it stays some milliseconds of work; not fewer than these. */
const BLOCK_CELLS = 8 * BLOCK_ROWS
const BLOCK_ROWS_MIN = 256

/** The bytes of texts that a block may hold, some tens of milliseconds of work; with more of them it is made of fewer rows. */
const TEXT_BYTES_MAX = 16_000_000

/** The bytes of texts that a single row may need; samples that far back and that long are no input. */
const ROW_TEXT_BYTES_MAX = 256_000_000

/** Characters that a row may work on here: the slowest functions take 4 ms for them. */
const HERE_CHARACTERS_MAX = 50_000

/** What evaluation asks. */
interface EvaluationDeps {
  readonly store: SampleStore
  /** Evaluates rows that work on many characters; without it they are evaluated here. */
  readonly thread?: Pick<EvaluationThread, 'evaluate'>
  /** Characters that a row may work on here. */
  readonly hereCharactersMax?: number
  /** The bytes of texts that a single row may need. */
  readonly rowTextBytesMax?: number
  /** Rows of one block at most, for tests. */
  readonly blockRows?: number
  /** The time that was worked, for tests; see BlockTime. */
  readonly worked?: () => number
  /** Asked when rows are read: true leaves them, and the block ends where it began. */
  readonly isOver?: () => boolean
}

/** Times of results, from ≤ time < until. */
interface ResultSpan {
  readonly from: EpochMs
  readonly until: EpochMs
}

/** A block of results. */
export interface DerivedBlock {
  /** Ascending, settled to the type of the stream. */
  readonly samples: SampleColumns
  readonly failures: DerivationFailures
  /** The plan's, or, where it has none, that of the first result. */
  readonly valueType: ValueType
  /** Whether hardly a row of it was worth to be looked at: the next one is to be shorter. */
  readonly isMostlyEmpty: boolean
  /** How many rows like its own fit into a block, by their texts and the time they take; undefined: as many as usual. */
  readonly fittingRows: number | undefined
  /** The bytes of texts that were read for it. */
  readonly textBytes: number
  /** The CPU time of its evaluation, in milliseconds. */
  readonly workedMs: number
  /** All results before this time are returned; the span's own end when there are no more. */
  readonly until: EpochMs
}

/**
 * Evaluates a derived stream over the next block of a span of results, as its sources are stored; call
 * it again from the block's `until` on until that is the span's. Nothing is stored.
 */
export async function deriveSpan(
  deps: EvaluationDeps,
  plan: DerivationPlan,
  span: ResultSpan,
): Promise<DerivedBlock> {
  const { store, blockRows = BLOCK_ROWS, isOver, rowTextBytesMax = ROW_TEXT_BYTES_MAX } = deps
  const { compiled, isNothingOfNulls } = await compiledOf(plan.expression)
  const until = epochMs(Math.min(span.until, TIME_END))
  const gaps = isNothingOfNulls ? gapVariablesOf(plan) : undefined
  const from = gaps === undefined ? span.from : await nextKnown(store, { ...plan, gaps }, span)
  if (from >= until) return nothingUntil(plan, span.until)
  const fitting = Math.floor(BLOCK_CELLS / plan.variables.length)
  let limit = Math.min(blockRows, Math.max(BLOCK_ROWS_MIN, fitting))
  for (;;) {
    const memory = new BlockTexts(limit === 1 ? rowTextBytesMax : TEXT_BYTES_MAX)
    const block = await readBlock({ store, memory }, plan, { from, until, limit })
    for (let pause = blockPacer.due; pause !== undefined; pause = blockPacer.due) await pause
    if (isOver?.() === true) return nothingUntil(plan, span.from)
    if (block !== undefined) {
      const evaluated = await evaluateBlock(deps, { plan, compiled }, block)
      // Where nothing is jumped over shorter blocks would not help.
      const mayJump = gaps !== undefined || jumpsOverNothing(plan)
      const empty = gaps && plan.expression.used
      const { cutAt, samples, failures, valueType, workedMs } = evaluated
      const end = cutAt ?? block.until
      return {
        samples,
        failures,
        valueType,
        workedMs,
        textBytes: memory.bytes,
        fittingRows: fewerOf(
          fittingRows(memory.bytes, block.times.length || limit),
          evaluated.fittingRows,
        ),
        isMostlyEmpty: mayJump && isMostlyEmpty(block, empty, evaluated.samples.count),
        until: end >= until ? span.until : epochMs(end),
      }
    }
    if (limit === 1) {
      const what = `Cannot calculate a sample from more than ${rowTextBytesMax / 1e6} MB of text`
      refuse('bad_input', { what })
    }
    limit = Math.max(1, Math.floor(limit / 16))
  }
}

/** Evaluates rows here, or in the thread from the first row on that works on many characters. */
async function evaluateBlock(
  { thread, worked, hereCharactersMax = HERE_CHARACTERS_MAX }: EvaluationDeps,
  { plan, compiled }: { readonly plan: DerivationPlan; readonly compiled: Compiled['compiled'] },
  block: InputBlock,
): Promise<Evaluated> {
  const time = new BlockTime(worked)
  const charactersMax = thread === undefined ? undefined : hereCharactersMax
  const evaluated = evaluateRows(plan, compiled, block, {
    time,
    limits: { ...UNHURRIED, charactersMax },
  })
  blockPacer.count(time.elapsed)
  if (thread === undefined || !evaluated.isLong) return evaluated
  return await thread.evaluate(plan, block)
}

function fewerOf(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)
}

/** Half as many rows as would fill a block with texts as long as those that were read. */
function fittingRows(textBytes: number, rows: number): number | undefined {
  if (textBytes === 0) return undefined
  return Math.max(1, Math.floor((rows * TEXT_BYTES_MAX) / (2 * textBytes)))
}

/** A block without results. */
function nothingUntil({ valueType }: DerivationPlan, until: EpochMs): DerivedBlock {
  const samples = { count: 0, times: new Float64Array(0), numbers: new Float64Array(0) }
  const nothing = { samples, failures: NO_FAILURES, fittingRows: undefined }
  return { ...nothing, valueType, isMostlyEmpty: false, textBytes: 0, workedMs: 0, until }
}

/** A block of rows; undefined when its texts are too long together. */
async function readBlock(
  deps: { readonly store: SampleStore; readonly memory: BlockTexts },
  plan: DerivationPlan,
  query: BlockQuery,
) {
  const { result } = plan
  try {
    return result.kind === 'random'
      ? await readRandomBlock(deps, plan, query)
      : await readIntervalBlock(deps, { plan, cycle: result.cycle }, query)
  } catch (error) {
    if (error instanceof TextsTooLong) return undefined
    throw error
  }
}

class TextsTooLong extends Error {}

/** Counts the texts of a block. */
class BlockTexts implements TextMemory {
  bytes = 0
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  resize(bytes: number): undefined {
    if (bytes > this.#max) throw new TextsTooLong()
    this.bytes = bytes
  }
}

const NO_FAILURES: DerivationFailures = { count: 0, last: undefined }

const compiledByChecked = new WeakMap<CheckedExpression, Promise<Compiled>>()

type Language = typeof import('../../expression/index.ts')

interface Compiled {
  readonly compiled: ReturnType<Language['compileExpression']>
  /** Whether it gives nothing where all variables are NULL. */
  readonly isNothingOfNulls: boolean
}

/** Made once for each plan; the language is there already, as a plan was checked by it. */
function compiledOf(checked: CheckedExpression): Promise<Compiled> {
  return compiledByChecked.getOrInsertComputed(checked, async () => {
    const { compileExpression } = await import('../../expression/index.ts')
    const compiled = compileExpression(checked)
    const isNothingOfNulls = givesNothingOfNulls(compiled, checked.variables.length)
    return { compiled, isNothingOfNulls }
  })
}
