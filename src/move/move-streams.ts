/** Samples on their way, stream by stream; how far they are is kept in the target now and then. */
import { type EpochMs, epochMs, systemClock } from '../base/index.ts'
import type { SampleBatch, SampleColumns, StreamHandle } from '../store/index.ts'
import { moveBodies } from './move-bodies.ts'
import { type MoveProgress, type MoveRecord, moveWrite } from './move-record.ts'
import type { MoveParts, StreamPair } from './move-side.ts'
import { persist } from './persist.ts'
import { fromTime, hasSpecials, pagesOf, type StreamPage } from './stream-pages.ts'

/** Streams that are copied at once: what waits for one side is made up for by others. */
export const STREAMS_AT_ONCE = 32
const KEEP_EVERY_MS = 2_000

/** What came of copying. */
interface CopiedSamples {
  readonly samples: number
  readonly elapsedMs: number
  /** Bodies that the source does not have whole. */
  readonly lostBodies: readonly string[]
}

/** Copies the samples of all streams that the record does not list as copied. */
export async function moveStreams(
  parts: MoveParts,
  pairs: readonly StreamPair[],
  record: MoveRecord,
): Promise<CopiedSamples> {
  const { target, onMoved } = parts
  const begunAt = systemClock.elapsed()
  const lostBodies: string[] = []
  const running = new Map<StreamHandle, EpochMs | undefined>()
  const queue = pairs.filter(({ source }) => source > record.through).values()
  let [samples, streams, keptAt, started] = [0, 0, begunAt, record.through]
  let keeping: Promise<unknown> | undefined
  const keep = (): void => {
    const now = systemClock.elapsed()
    if (keeping !== undefined || now - keptAt < KEEP_EVERY_MS) return
    keptAt = now
    const progress = progressOf(running, started)
    keeping = persist(() => target.catalog.commit([moveWrite({ ...record, ...progress })])).finally(
      () => {
        keeping = undefined
      },
    )
    // Failure is checked at the end: streams that fail for one reason need one message.
    keeping.catch(() => {})
  }
  const report = (): void => {
    const seconds = Math.max(1, systemClock.elapsed() - begunAt) / 1_000
    const rate = Math.round(samples / seconds)
    onMoved(`moving samples: ${samples} of ${streams} streams of ${pairs.length}, ${rate} a second`)
  }
  const worker = async (): Promise<void> => {
    for (const pair of queue) {
      const reached = record.reached[String(pair.source)]
      const from = reached === undefined ? undefined : epochMs(reached)
      started = pair.source
      running.set(pair.source, from)
      for await (const page of pagesOf(parts.source.samples, fromTime(pair.source, from))) {
        if (pair.hasFiles) lostBodies.push(...(await moveBodies(parts, page.samples)))
        await appendPage(parts, pair, page)
        samples += page.samples.count
        running.set(pair.source, page.until)
        keep()
        report()
      }
      samples += await copySpecials(parts, pair, fromTime(pair.source))
      running.delete(pair.source)
      streams += 1
      report()
    }
  }
  await Promise.all(Array.from({ length: STREAMS_AT_ONCE }, worker))
  await keeping
  return { samples, elapsedMs: systemClock.elapsed() - begunAt, lostBodies }
}

/** Streams are begun in the order of their handles: all below those that run are through. */
function progressOf(
  running: ReadonlyMap<StreamHandle, EpochMs | undefined>,
  started: number,
): MoveProgress {
  const reached: Record<string, number> = {}
  for (const [handle, time] of running) if (time !== undefined) reached[String(handle)] = time
  const first = Math.min(...running.keys())
  return { through: running.size === 0 ? started : first - 1, reached }
}

async function appendPage(
  { target }: MoveParts,
  pair: StreamPair,
  { samples }: StreamPage,
): Promise<void> {
  if (samples.count === 0) return
  await persist(() => target.samples.append(batchOf(pair.target, samples)))
}

/** Copies a stream again, replacing its samples in the target. */
export async function copyAgain(parts: MoveParts, pair: StreamPair): Promise<void> {
  await copySpan(parts, pair, fromTime(pair.source))
}

/** Makes a stretch of a stream in the target what it is in the source, page by page. */
export async function copySpan(
  parts: MoveParts,
  pair: StreamPair,
  span: { readonly from: EpochMs; readonly until: EpochMs },
): Promise<void> {
  const { source, target } = parts
  const isSpecial =
    (await hasSpecials(source.samples, { ...span, handle: pair.source })) ||
    (await hasSpecials(target.samples, { ...span, handle: pair.target }))
  if (isSpecial) {
    await copySpecialSpan(parts, pair, span)
    return
  }
  for await (const page of pagesOf(source.samples, { ...span, handle: pair.source })) {
    const { samples, from, until } = page
    if (pair.hasFiles) await moveBodies(parts, samples)
    const removals = [{ handle: pair.target, from, until }]
    await persist(() => target.samples.append({ ...batchOf(pair.target, samples), removals }))
  }
}

/** As copySpan(), of a stream with special values: what takes these out takes out numbers, too. */
async function copySpecialSpan(
  parts: MoveParts,
  pair: StreamPair,
  { from, until }: { readonly from: EpochMs; readonly until: EpochMs },
): Promise<void> {
  const { source, target } = parts
  await persist(() => target.samples.remove({ handle: pair.target, from, until }))
  const span = { handle: pair.source, from, until }
  for await (const page of pagesOf(source.samples, span)) await appendPage(parts, pair, page)
  await copySpecials(parts, pair, span)
}

/** Copies the special values of a stretch; returns their number. */
async function copySpecials(
  { source, target }: MoveParts,
  pair: StreamPair,
  span: { readonly from: EpochMs; readonly until: EpochMs },
): Promise<number> {
  let count = 0
  const pages = pagesOf(source.samples, { ...span, handle: pair.source }, 'specials')
  for await (const { samples } of pages) {
    if (samples.count === 0) continue
    await persist(() => target.samples.appendSpecials(batchOf(pair.target, samples)))
    count += samples.count
  }
  return count
}

function batchOf(handle: StreamHandle, samples: SampleColumns): SampleBatch {
  const { count, times, numbers, texts } = samples
  const handles = new Uint32Array(count).fill(handle)
  const columns = { count, handles, times, numbers, removals: [] }
  return texts === undefined ? columns : { ...columns, texts }
}
