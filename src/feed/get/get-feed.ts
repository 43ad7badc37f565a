import type { Principal } from '../../access/index.ts'
import { nextIteration, refuse } from '../../base/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import { POINT, VALUE_CODE } from '../../catalog/shape/index.ts'
import type { SampleReads, StreamHandle, TextMemory } from '../../store/index.ts'
import { addressPath, findStreams, type OneStreamPath, type StreamPath } from '../find-streams.ts'
import { baseCycleOf } from '../stream-facts.ts'
import { type FeedFields, type FeedSeries, withMore } from './feed-series.ts'
import {
  type AskedRange,
  latestOf,
  oneSample,
  type ReadSamples,
  readIntervals,
  readLastInterval,
  readPoint,
  readRandom,
} from './read-samples.ts'

/** Shows the text of a file sample as the address of its file. */
export type ShowFile = (text: string, place: OneStreamPath & { readonly time: number }) => string

/** What reading works with. */
export interface GetDeps {
  readonly catalog: Catalog
  readonly store: SampleReads
  readonly showFile: ShowFile
}

/** What a feed or last_value call asks for. */
export interface GetCommand extends AskedRange {
  readonly path: StreamPath
  /** The most samples of the answer, over all its streams. */
  readonly limit: number
  readonly fields: FeedFields
  /** Where the texts of the answer are counted; without it they are not. */
  readonly memory?: TextMemory
  /** Whether nobody waits for the answer any more; asked between streams. */
  readonly isGone?: () => boolean
}

/** Streams read before others get their turn: about a millisecond. */
const STREAMS_PER_SLICE = 32

type ReadStream = (handle: StreamHandle, limit: number) => Promise<ReadSamples>

/** The samples of a path, stream by stream in definition order, latest first, up to the limit. */
export function getFeed(
  deps: GetDeps,
  principal: Principal,
  command: GetCommand,
): Promise<FeedSeries[]> {
  const { catalog, store } = deps
  const { memory } = command
  return collect(deps, principal, command, (handle, limit) => {
    if (catalog.index.kindOf(handle) === POINT) return readPoint(store, handle, memory)
    const cycle = baseCycleOf(catalog.index, handle)
    const asked = { from: command.from, until: command.until, limit, memory }
    if (cycle === undefined) return readRandom(store, handle, asked)
    return readIntervals(store, { handle, cycle }, asked)
  })
}

/** The last sample of each stream of a path that has one, up to the limit. */
export function getLastValues(
  deps: GetDeps,
  principal: Principal,
  command: GetCommand,
): Promise<FeedSeries[]> {
  if (command.from === undefined && command.until === undefined) {
    return collectLatest(deps, principal, command)
  }
  const { catalog, store } = deps
  return collect(deps, principal, command, (handle) => {
    if (catalog.index.kindOf(handle) === POINT) return readPoint(store, handle, command.memory)
    const cycle = baseCycleOf(catalog.index, handle)
    if (cycle === undefined) return readRandom(store, handle, { ...command, limit: 1 })
    return readLastInterval(store, { handle, cycle }, command)
  })
}

/** Stores know the latest sample of a stream without reading what lies before it. */
async function collectLatest(
  deps: GetDeps,
  principal: Principal,
  command: GetCommand,
): Promise<FeedSeries[]> {
  const { catalog, store } = deps
  const { component, handles } = findStreams(catalog.index, principal, command.path, 'GET')
  const { compId } = component
  const list: FeedSeries[] = []
  for (let from = 0; from < handles.length; from += command.limit) {
    if (from > 0) await nextSlice(command)
    const some = handles.slice(from, from + command.limit)
    const latest = await store.latest(some, { memory: command.memory })
    for (const [at, sample] of latest.entries()) {
      if (sample === undefined) continue
      if (list.length === command.limit) return withMore(list)
      const handle = some[at]
      const samples = oneSample(sample, baseCycleOf(catalog.index, handle))
      list.push(await showSeries(deps, { compId, handle, samples }, command))
    }
  }
  return list
}

/** The error for a caller that has disconnected. */
const RETRY_AFTER_SECONDS = 5

/** Lets others have their turn; refuses to go on for nobody. */
export async function nextSlice({ isGone }: Pick<GetCommand, 'isGone'>): Promise<void> {
  await nextIteration()
  if (isGone?.() === true) refuse('overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS })
}

async function collect(
  deps: GetDeps,
  principal: Principal,
  command: GetCommand,
  read: ReadStream,
): Promise<FeedSeries[]> {
  const { catalog } = deps
  const { component, handles } = findStreams(catalog.index, principal, command.path, 'GET')
  if (command.from !== undefined && command.from === command.until) return []
  const list: FeedSeries[] = []
  let left = command.limit
  // The first slice waits, too: hundreds of calls may begin in one turn.
  const isWide = handles.length > STREAMS_PER_SLICE
  for (const [at, handle] of handles.entries()) {
    // Streams without samples in the range cost no limit, and a component may have very many.
    if (at % STREAMS_PER_SLICE === 0 && isWide) await nextSlice(command)
    // One sample beyond the limit shows whether the limit cuts anything off.
    const found = await read(handle, left + 1)
    if (found.count === 0) continue
    if (left > 0) {
      const samples = latestOf(found, left)
      const { compId } = component
      list.push(await showSeries(deps, { compId, handle, samples }, command))
    }
    if (found.count > left) return withMore(list)
    left -= found.count
  }
  return list
}

/** Samples of a stream as answers show them. */
export async function showSeries(
  deps: GetDeps,
  read: { readonly compId: string; readonly handle: StreamHandle; readonly samples: ReadSamples },
  { fields, memory }: Pick<GetCommand, 'fields' | 'memory'>,
): Promise<FeedSeries> {
  const { catalog } = deps
  const { compId, handle, samples } = read
  const valueCode = catalog.index.valueCodeOf(handle)
  const streamId = catalog.index.streamIdOf(handle)
  const isUnitShown = fields.fData || fields.unit
  const { count, times, numbers, gaps, starts } = samples
  const isFile = valueCode === VALUE_CODE.FILE
  const texts = isFile ? await showFiles(deps, { handle, samples }, memory) : samples.texts
  return {
    compId,
    streamId,
    count,
    times,
    numbers,
    texts,
    gaps,
    starts,
    isBoolean: valueCode === VALUE_CODE.BOOLEAN,
    isDecimal: valueCode === VALUE_CODE.BIG_DECIMAL,
    unit: isUnitShown ? await catalog.unitOf(handle) : undefined,
  }
}

async function showFiles(
  { catalog, showFile }: GetDeps,
  { handle, samples }: { readonly handle: StreamHandle; readonly samples: ReadSamples },
  memory: TextMemory | undefined,
): Promise<ReadSamples['texts']> {
  const { count, times, texts } = samples
  const path = addressPath(catalog.index, handle)
  await countAddresses({ path, count }, memory)
  return texts?.map((text, at) =>
    text === undefined ? undefined : showFile(text, { ...path, time: times[at] }),
  )
}

/** What an address has beside the IDs that it names. */
const ADDRESS_BYTES = 128

/** Characters for one byte of an ID when it is escaped. */
const ESCAPED_BYTES = 3

/** Counts the addresses that files are shown by, before they are written. */
export async function countAddresses(
  { path, count }: { readonly path: OneStreamPath; readonly count: number },
  memory: TextMemory | undefined,
): Promise<void> {
  const ids = Buffer.byteLength(Object.values(path).join(''))
  const bytes = count * (ADDRESS_BYTES + ESCAPED_BYTES * ids)
  await memory?.resize(memory.bytes + bytes)
}
