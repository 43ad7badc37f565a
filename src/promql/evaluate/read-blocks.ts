import { PROMQL_READ_SAMPLES_MAX } from '../promql-limits.ts'
import type { StepGrid } from '../series/step-series.ts'
import type { SelectedOne, SeriesSamples } from '../source.ts'
import { type Evaluation, stepTime, tooManySamples } from './evaluation.ts'

/** Samples of one series, ascending by time. */
export interface SampleColumn {
  readonly times: Float64Array
  readonly values: Float64Array
}

/** Steps first ≤ step < end of a grid. */
export interface StepBlock {
  readonly first: number
  readonly end: number
}

interface BlockRequest {
  readonly series: readonly SelectedOne[]
  /** When the data of each step ends. */
  readonly grid: StepGrid
  /** How far before the end of a step its data reaches. */
  readonly reachMs: number
  /** Whether only the latest sample at the end of each step is looked at. */
  readonly isLatestOnly?: boolean
}

type VisitSamples = (index: number, samples: SampleColumn, block: StepBlock) => void

/** Most series of one read. */
const SERIES_MAX = 512

/**
 * Reads the samples of series in blocks of steps and visits each series of each block, so that the samples of a long
 * range are never in memory all at once. Blocks get smaller when one series has too many samples.
 */
export async function readBlocks(
  evaluation: Evaluation,
  request: BlockRequest,
  visit: VisitSamples,
): Promise<void> {
  const { series, grid } = request
  const readFrom = (done: number, block: StepBlock): Promise<SeriesSamples | undefined> => {
    const refs = series.slice(done, done + SERIES_MAX).map(({ ref }) => ref)
    if (refs.length === 0) return Promise.resolve(undefined)
    const reading = readBlock(evaluation, { refs, block, request })
    // It may fail when nobody waits for it any more.
    reading.catch(() => {})
    return reading
  }
  let stepsMax = grid.stepMs === 0 ? grid.count : Math.max(1, grid.count)
  for (let first = 0; first < grid.count; ) {
    let block = { first, end: Math.min(grid.count, first + stepsMax) }
    let reading = readFrom(0, block)
    for (let done = 0; done < series.length; ) {
      const samples = await reading
      if (samples === undefined) {
        // Series that were read already are visited again, with fewer steps.
        stepsMax = Math.max(1, Math.floor((block.end - first) / 4))
        block = { first, end: Math.min(grid.count, first + stepsMax) }
        reading = readFrom(done, block)
        continue
      }
      const start = done
      done += samples.seriesCount
      // The source reads on while these samples are worked on.
      reading = readFrom(done, block)
      visitAll(samples, (index, column) => visit(start + index, column, block))
    }
    first = block.end
  }
}

function visitAll(
  { seriesCount, starts, times, values }: SeriesSamples,
  visit: (index: number, column: SampleColumn) => void,
): void {
  for (let index = 0; index < seriesCount; index++) {
    const start = starts[index]
    const end = starts[index + 1]
    visit(index, { times: times.subarray(start, end), values: values.subarray(start, end) })
  }
}

interface BlockRead {
  readonly refs: readonly number[]
  readonly block: StepBlock
  readonly request: BlockRequest
}

/** Undefined when the first series has too many samples for several steps at once. */
async function readBlock(
  evaluation: Evaluation,
  { refs, block, request }: BlockRead,
): Promise<SeriesSamples | undefined> {
  evaluation.checkStop()
  const { grid, reachMs, isLatestOnly = false } = request
  const isOneWindow = block.end - block.first === 1 || grid.stepMs === 0
  const { start } = grid
  const stepMs = grid.count === 1 || grid.stepMs === 0 ? reachMs : grid.stepMs
  const steps = isLatestOnly ? { start, stepMs } : undefined
  const span = {
    from: stepTime(grid, block.first) - reachMs,
    until: stepTime(grid, block.end - 1),
  }
  const samplesMax = Math.min(PROMQL_READ_SAMPLES_MAX, evaluation.memory.free)
  const samples = await evaluation.source.read({ refs, ...span, samplesMax, steps })
  evaluation.checkStop()
  if (samples.seriesCount > 0) return samples
  if (!isOneWindow) return undefined
  const whole = await evaluation.source.read({
    refs: refs.slice(0, 1),
    ...span,
    samplesMax: evaluation.memory.free,
    steps,
  })
  if (whole.seriesCount === 0) throw tooManySamples()
  return whole
}
