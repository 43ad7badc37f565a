import type { Principal } from '../../access/index.ts'
import { type Clock, EARLIEST_TIME, TIME_END } from '../../base/index.ts'
import { VALUE_TYPES } from '../../catalog/shape/index.ts'
import type { SampleSpan } from '../../store/index.ts'
import type { GetDeps } from '../get/get-feed.ts'
import { placementOf } from '../statistic/fold-periods.ts'
import { readPeriods } from '../statistic/get-statistic.ts'
import { isStreamValue } from '../statistic/statistic-id.ts'
import type { Plot, PlotColumn, PlotCommand, PlotForm } from './plot.ts'
import { plotChanges } from './plot-changes.ts'
import { plotEdges } from './plot-edges.ts'
import { plotSamples } from './plot-samples.ts'
import { countOf, decimalExtremes, spanColumns, TEXTS_SCANNED_MAX } from './plot-spans.ts'
import {
  findPlotStream,
  type PlotStream,
  readNeighbour,
  type SampleRange,
  sampleRangeOf,
  showText,
} from './plot-stream.ts'

/** What a plot shows of a stream without samples when no range is asked for. */
const EMPTY_RANGE_MS = 86_400_000

/** What plots are read with. */
interface PlotDeps extends GetDeps {
  readonly clock: Clock
}

/** What a plot found, in the form that fits. */
interface Found {
  readonly form: PlotForm
  readonly spanMs?: number
  readonly isMore?: boolean
  readonly columns: readonly PlotColumn[]
}

/**
 * Reduces a range of one stream to the entries that a chart of a given width can show. Long ranges are read from
 * summaries.
 */
export async function getPlot(
  deps: PlotDeps,
  principal: Principal,
  command: PlotCommand,
): Promise<Plot> {
  const { index } = deps.catalog
  const { memory } = command
  const stream = { ...findPlotStream(index, principal, command.path), memory }
  const span = await deps.store.span(stream.handle)
  const range = rangeOf(deps, command, { ...stream, span })
  const samples = sampleRangeOf(stream, range)
  const found =
    command.statistic === undefined
      ? await findSamples(deps, stream, { range, samples, points: command.points })
      : await findPeriods(deps, stream, command, range)
  const before = { from: EARLIEST_TIME, until: samples.from }
  const after = { from: samples.until, until: TIME_END }
  const hasNeighbours = found.form !== 'periods'
  const hasUnit = command.statistic === undefined || isStreamValue(command.statistic.statistic)
  const unit = hasUnit ? await deps.catalog.unitOf(stream.handle) : undefined
  return {
    componentUid: stream.component.uid,
    compId: stream.component.compId,
    streamUid: index.streamUid(stream.handle),
    streamId: stream.streamId,
    form: found.form,
    kind: stream.kind,
    valueType: VALUE_TYPES[index.valueCodeOf(stream.handle)],
    unit: unit?.symbol ?? '',
    numberFormat: unit?.numberFormat ?? '',
    timeZone: stream.component.timeZone,
    ...range,
    spanMs: found.spanMs,
    firstTime: span?.firstTime,
    lastTime: span?.lastTime,
    before: hasNeighbours ? await readNeighbour(deps, stream, before, 'latest_first') : undefined,
    after: hasNeighbours ? await readNeighbour(deps, stream, after, 'oldest_first') : undefined,
    isMore: found.isMore === true,
    columns: found.columns,
  }
}

/** The range asked for; open on a side, it goes to where the stream begins or ends. */
function rangeOf(
  { clock }: PlotDeps,
  command: PlotCommand,
  { cycle, span }: Pick<PlotStream, 'cycle'> & { readonly span: SampleSpan | undefined },
): SampleRange {
  const end = span === undefined ? clock.now() : span.lastTime + 1
  // Behind the last sample there is nothing yet, which is no mistake: a page may wait for it.
  const until = command.until ?? Math.max(end, (command.from ?? Number.NEGATIVE_INFINITY) + 1)
  const start = span === undefined ? until - EMPTY_RANGE_MS : startOf(span.firstTime, cycle)
  return { from: command.from ?? Math.min(start, until - 1), until }
}

/** Where a stream begins; the first interval lies before the time of its sample. */
function startOf(firstTime: number, cycle: PlotStream['cycle']): number {
  if (cycle === undefined) return firstTime
  return cycle.periodOf(firstTime - 1)?.from ?? firstTime - 1
}

interface Asked {
  readonly range: SampleRange
  readonly samples: SampleRange
  readonly points: number
}

async function findSamples(
  deps: GetDeps,
  stream: PlotStream,
  { range, samples, points }: Asked,
): Promise<Found> {
  const { handle, kind, cycle } = stream
  if (samples.from >= samples.until) return { form: 'samples', columns: emptyColumns(stream) }
  const few = await plotSamples(deps, stream, samples, points)
  if (few !== undefined) return { form: 'samples', columns: few }
  const bounds = { ...range, sampleFrom: samples.from, sampleUntil: samples.until }
  const { edges, spanMs } = plotEdges(bounds, points, placementOf(cycle))
  const summaries = await deps.store.outline(handle, edges, stream.memory)
  if (kind === 'text' && countOf(summaries) <= TEXTS_SCANNED_MAX) {
    const changes = await plotChanges(deps, stream, samples, points)
    if (changes !== undefined) return { form: 'changes', columns: changes }
  }
  const extremes =
    kind === 'decimal' ? await decimalExtremes(deps, stream, samples, summaries) : undefined
  return { form: 'spans', spanMs, columns: spanColumns(deps, stream, summaries, extremes) }
}

function emptyColumns({ cycle }: PlotStream): PlotColumn[] {
  const names = cycle === undefined ? ['time', 'value'] : ['start', 'time', 'value']
  return names.map((name) => ({ name, numbers: [] }))
}

async function findPeriods(
  deps: GetDeps,
  stream: PlotStream,
  { statistic, points }: PlotCommand,
  range: SampleRange,
): Promise<Found> {
  if (statistic === undefined) return { form: 'periods', columns: [] }
  const { component, handle, memory } = stream
  const asked = { ...statistic, range, limit: points, memory }
  const { isMore, columns } = await readPeriods(deps, { component, handle }, asked)
  const oldestFirst = <T>(values: Iterable<T>): T[] => [...values].reverse()
  const data = oldestFirst(columns.data)
  const times = oldestFirst(columns.valueTimes)
  return {
    form: 'periods',
    isMore,
    columns: [
      { name: 'start', numbers: oldestFirst(columns.froms) },
      { name: 'end', numbers: oldestFirst(columns.untils) },
      {
        name: 'value',
        numbers: data.map((value) => (typeof value === 'number' ? value : Number.NaN)),
        texts: data.map((value, at) =>
          typeof value === 'string'
            ? showText(deps, stream, { text: value, time: times[at] })
            : undefined,
        ),
      },
    ],
  }
}
