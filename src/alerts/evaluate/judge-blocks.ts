/** Samples of many streams, judged by the conditions of the alerts that watch them. */
import { nextIteration } from '../../base/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import { expressionTypeOf, VALUE_TYPES } from '../../catalog/shape/index.ts'
import { ExpressionError } from '../../expression/index.ts'
import type { SampleStore } from '../../store/index.ts'
import { isOwn, readColumn, type ValueColumn } from '../condition/input-columns.ts'
import { judgeInSlices } from '../condition/judge-samples.ts'
import type { Condition } from '../condition/read-condition.ts'
import { inputSourceOf } from './input-source.ts'
import type { AlertConditions, LoadedAlert } from './loaded-alert.ts'
import type { SpanSamples } from './span-samples.ts'

/** What a judgment needs. */
export interface JudgeDeps {
  readonly catalog: Pick<Catalog, 'index'>
  readonly store: SampleStore
  /** Called with conditions that failed on samples. */
  readonly onFailure: (loaded: LoadedAlert, count: number, message: string) => void
}

/** The samples of one stream, and which of them a condition holds for. */
export interface JudgedBlock {
  readonly block: SpanSamples
  readonly holds: Uint8Array
  readonly conditions: AlertConditions
}

/** Blocks with reads of earlier samples, statistics, or other streams, before others get a turn. */
const READS_PER_STEP = 16

const NO_CONDITIONS: AlertConditions = { condition: undefined, clear: undefined }

/** Judges blocks of streams by one alert, those of streams of the same type and zone together. */
export async function judgeBlocks(
  deps: JudgeDeps,
  loaded: LoadedAlert,
  blocks: readonly SpanSamples[],
): Promise<JudgedBlock[]> {
  const { index } = deps.catalog
  const groups = new Map<string, SpanSamples[]>()
  for (const block of blocks) {
    const { timeZone } = index.componentOf(block.handle)
    const key = `${index.valueCodeOf(block.handle)} ${timeZone}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [block])
    else group.push(block)
  }
  const judged: JudgedBlock[] = []
  for (const group of groups.values()) judged.push(...(await judgeGroup(deps, loaded, group)))
  return judged
}

async function judgeGroup(
  deps: JudgeDeps,
  loaded: LoadedAlert,
  blocks: readonly SpanSamples[],
): Promise<JudgedBlock[]> {
  const conditions = conditionsOf(deps, loaded, blocks[0])
  const { condition } = conditions
  if (condition === undefined) {
    return blocks.map((block) => ({ block, holds: new Uint8Array(block.count), conditions }))
  }
  if (condition.inputs.every(isOwn)) {
    return await judgeTogether(deps, loaded, { blocks, condition, conditions })
  }
  const judged: JudgedBlock[] = []
  for (const [at, block] of blocks.entries()) {
    judged.push({ block, holds: await judgeBlock(deps, loaded, { block, condition }), conditions })
    if (at % READS_PER_STEP === READS_PER_STEP - 1) await nextIteration()
  }
  return judged
}

/** The conditions of an alert for the type and zone of a stream; none where they do not fit it. */
function conditionsOf(
  { catalog: { index }, onFailure }: JudgeDeps,
  loaded: LoadedAlert,
  { handle, count }: SpanSamples,
): AlertConditions {
  const type = expressionTypeOf(VALUE_TYPES[index.valueCodeOf(handle)])
  try {
    return loaded.conditionsFor(type, index.componentOf(handle).timeZone)
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    onFailure(loaded, count, error.message)
    return NO_CONDITIONS
  }
}

/** One evaluation over all blocks: a threshold over a thousand streams is one loop. */
async function judgeTogether(
  { onFailure }: JudgeDeps,
  loaded: LoadedAlert,
  group: {
    readonly blocks: readonly SpanSamples[]
    readonly condition: Condition
    readonly conditions: AlertConditions
  },
): Promise<JudgedBlock[]> {
  const { blocks, condition, conditions } = group
  const count = blocks.reduce((sum, block) => sum + block.count, 0)
  const times = new Float64Array(count)
  const numbers = new Float64Array(count)
  let texts: (string | undefined)[] | undefined
  let at = 0
  for (const block of blocks) {
    times.set(block.times.subarray(0, block.count), at)
    numbers.set(block.numbers.subarray(0, block.count), at)
    if (block.texts !== undefined) {
      texts ??= new Array<string | undefined>(count)
      for (const [row, text] of block.texts.entries()) texts[at + row] = text
    }
    at += block.count
  }
  const columns: ValueColumn[] = condition.inputs.map(({ kind }) =>
    kind === 'time' ? { numbers: times } : { numbers, texts },
  )
  const { holds, failureCount, failure } = await judgeInSlices(condition, columns, count)
  if (failure !== undefined) onFailure(loaded, failureCount, failure)
  let from = 0
  return blocks.map((block) => {
    const judged = { block, holds: holds.subarray(from, from + block.count), conditions }
    from += block.count
    return judged
  })
}

/** Judges one block by a condition that may read more than its samples. */
export async function judgeBlock(
  deps: JudgeDeps,
  loaded: LoadedAlert,
  { block, condition }: { readonly block: SpanSamples; readonly condition: Condition },
): Promise<Uint8Array> {
  const source = inputSourceOf(deps, loaded, block.handle)
  const columns: ValueColumn[] = []
  for (const input of condition.inputs) columns.push(await readColumn(source, input, block))
  const { holds, failureCount, failure } = await judgeInSlices(condition, columns, block.count)
  if (failure !== undefined) deps.onFailure(loaded, failureCount, failure)
  return holds
}
