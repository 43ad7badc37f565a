/** The thread that evaluates queries of Prometheus, one at a time. */
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import {
  PromqlError,
  parseSelector,
  type QueryResult,
  queryInstant,
  queryRange,
  SampleMemory,
  type SelectedOne,
} from '../../promql/index.ts'
import {
  type FromThread,
  type JobEnd,
  type LabelRequest,
  type QueryBounds,
  type QueryJob,
  STOP,
  type ToThread,
} from './query-messages.ts'
import { compileRe2Pattern } from './re2-pattern.ts'
import { RemoteSeries } from './remote-series.ts'
import { type FoundList, labelsText, writeList, writeResult } from './write-result.ts'

/** Lets the thread of the service run first when all processors are busy. */
const NICENESS = 10

type BeginMessage = Extract<ToThread, { kind: 'begin' }>

let series: RemoteSeries | undefined

function post(message: FromThread, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer)
}

function receive(message: ToThread): void {
  switch (message.kind) {
    case 'begin':
      void run(message)
      return
    case 'test':
      testTexts(message)
      return
    default:
      series?.receive(message)
  }
}

async function run({ job, bounds, stop }: BeginMessage): Promise<void> {
  const memory = new SampleMemory(bounds.samplesMax)
  series = new RemoteSeries(post, memory)
  const stopReason = () => {
    const reason = Atomics.load(stop, 0)
    if (reason === STOP.timeout) return 'timeout'
    return reason === STOP.canceled ? 'canceled' : undefined
  }
  const end = await endOf(async () => {
    const context = { source: series as RemoteSeries, memory, stopReason }
    return await evaluate(job, context, bounds)
  })
  series = undefined
  post({ kind: 'end', end }, end.kind === 'answer' ? [end.body.buffer] : [])
}

interface JobContext {
  readonly source: RemoteSeries
  readonly memory: SampleMemory
  readonly stopReason: () => 'timeout' | 'canceled' | undefined
}

async function endOf(work: () => Promise<Uint8Array<ArrayBuffer>>): Promise<JobEnd> {
  try {
    return { kind: 'answer', body: await work() }
  } catch (error) {
    if (error instanceof PromqlError) {
      return { kind: 'refused', error: error.kind, message: error.message }
    }
    // Columns lie outside of the heap, so that V8 fails only the query that makes them.
    if (error instanceof RangeError && /array/i.test(error.message)) {
      return { kind: 'refused', error: 'execution', message: 'query needs too much memory' }
    }
    return { kind: 'failed', error }
  }
}

async function evaluate(
  job: QueryJob,
  context: JobContext,
  { answerBytesMax }: QueryBounds,
): Promise<Uint8Array<ArrayBuffer>> {
  const { limit } = job
  if (job.kind === 'labels' || job.kind === 'series') {
    const selectors = job.selectors.map((text) => parseSelector(text, compileRe2Pattern))
    const { source } = context
    const { since } = job
    const found =
      job.kind === 'series'
        ? await findSeries(source, selectors, since)
        : await findLabels(source, { selectors, since, label: job.label })
    return writeList(found, { limit, bytesMax: answerBytesMax })
  }
  const { lookbackMs } = job
  const whole = { ...context, compilePattern: compileRe2Pattern, lookbackMs }
  const result: QueryResult =
    job.kind === 'instant' ? await queryInstant(job, whole) : await queryRange(job, whole)
  const checkStop = () => {
    if (context.stopReason() !== undefined) {
      throw new PromqlError('timeout', 'query timed out in result sort or writing')
    }
  }
  return writeResult(result, { limit, bytesMax: answerBytesMax, checkStop })
}

async function findLabels(source: RemoteSeries, request: LabelRequest): Promise<FoundList> {
  const { texts, warnings, infos } = await source.labels(request)
  return { items: texts.toSorted().map((text) => JSON.stringify(text)), warnings, infos }
}

/** The labels of series that match one of the selectors, each once. */
async function findSeries(
  source: RemoteSeries,
  selectors: LabelRequest['selectors'],
  since: number | undefined,
): Promise<FoundList> {
  const found = new Map<number, SelectedOne>()
  const warnings = new Set<string>()
  const infos = new Set<string>()
  for (const matchers of selectors) {
    const selected = await source.select({ matchers, from: 0, until: 0, since })
    for (const one of selected.series) found.set(one.ref, one)
    for (const text of selected.warnings) warnings.add(text)
    for (const text of selected.infos) infos.add(text)
  }
  const items = [...found.values()].map(({ labels }) => labelsText(labels)).sort()
  return { items, warnings: [...warnings], infos: [...infos] }
}

/** The pattern that was tested last: a matcher is tested text by text. */
let tested: { readonly pattern: string; readonly matches: (text: string) => boolean } | undefined

function testTexts({ test, pattern, texts }: Extract<ToThread, { kind: 'test' }>): void {
  // The selector was checked before the service was asked, so that the pattern compiles.
  if (tested?.pattern !== pattern) {
    tested = { pattern, matches: compileRe2Pattern(pattern).matches }
  }
  const { matches } = tested
  const accepted = Uint8Array.from(texts, (text) => (matches(text) ? 1 : 0))
  post({ kind: 'tested', test, accepted }, [accepted.buffer])
}

/** Only Linux has priorities of threads. */
function stepBack(): void {
  try {
    const [, thread] = readlinkSync('/proc/thread-self').split('/task/')
    setPriority(Number(thread), NICENESS)
  } catch {
    // The system decides without it.
  }
}

stepBack()
parentPort?.on('message', receive)
