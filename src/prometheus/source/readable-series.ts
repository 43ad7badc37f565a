/** The series that a caller may read, by the labels under which queries know them. */
import type { Principal } from '../../access/index.ts'
import { nextIteration, Pacer } from '../../base/index.ts'
import { type Catalog, type LabelTable, selectSeries } from '../../catalog/index.ts'
import { allowsStream } from '../../feed/index.ts'
import type { SeriesMatcher } from '../../promql/plain.ts'
import type { SampleStore, StreamHandle } from '../../store/index.ts'
import type { TestTexts } from '../run/query-thread.ts'
import { labelMatchers } from './label-tests.ts'
import { alikeNames, CLASSIC_NAME } from './metric-names.ts'
import { recentSeries } from './recent-series.ts'

/** Tells series with equal labels apart. */
export const STREAM_LABEL = '__stream__'
const NAME_LABEL = '__name__'

/** Series that are looked at before other calls may run. */
const PER_SLICE = 2_048

/** A series of a selection. */
export interface ReadableSeries {
  /** Its number in the table. */
  readonly number: number
  readonly handle: StreamHandle
  /** The UID of its stream, where an earlier stream has the same labels. */
  readonly streamUid: string | undefined
}

interface SelectedSeries {
  readonly table: LabelTable
  /** The look-back that a stream sets, by its handle. */
  readonly lookbacks: ReadonlyMap<number, number>
  readonly series: readonly ReadableSeries[]
  readonly warnings: readonly string[]
  readonly infos: readonly string[]
}

export interface SelectionParts {
  readonly catalog: Catalog
  readonly store: SampleStore
  readonly principal: Principal
  readonly testTexts: TestTexts
}

interface Selection {
  readonly matchers: readonly SeriesMatcher[]
  /** Series without a sample at this time or later may be left out. Undefined: none are. */
  readonly since: number | undefined
}

/** The series that all matchers accept and the caller may read. */
export async function selectReadable(
  parts: SelectionParts,
  { matchers, since }: Selection,
): Promise<SelectedSeries> {
  const { catalog, store, principal } = parts
  const { table, lookbacks } = await catalog.labels.seriesOf(principal.orgUid)
  let found = await findSeries(parts, table, matchers)
  const infos: string[] = []
  if (found.series.length === 0) {
    const alike = await replaceName(parts, table, matchers)
    if (alike !== undefined) {
      found = await findSeries(parts, table, alike.matchers, alike.names)
      if (found.series.length > 0) infos.push(alike.info)
    }
  }
  const series = since === undefined ? found.series : await recentSeries(store, found.series, since)
  return { table, lookbacks, infos, warnings: found.warnings, series }
}

/** Series by matchers; `names` are accepted in place of a matcher of the name. */
async function findSeries(
  { catalog: { index }, principal, testTexts }: SelectionParts,
  table: LabelTable,
  matchers: readonly SeriesMatcher[],
  names?: readonly string[],
): Promise<Pick<SelectedSeries, 'series' | 'warnings'>> {
  const pacer = new Pacer()
  const ofStream = matchers.filter(({ name }) => name === STREAM_LABEL)
  const others = matchers.filter(({ name }) => name !== STREAM_LABEL)
  const tests = await labelMatchers(others, testTexts)
  if (names !== undefined) {
    const known = new Set(names)
    const accept = (texts: readonly string[]) =>
      Uint8Array.from(texts, (text) => Number(known.has(text)))
    tests.push({ name: NAME_LABEL, texts: names, accept, acceptsAbsent: false })
  }
  const numbers: number[] = []
  await selectSeries(table, tests, pacer, (number) => numbers.push(number))
  const series: ReadableSeries[] = []
  for (const [at, number] of numbers.entries()) {
    if (at % PER_SLICE === PER_SLICE - 1) await nextIteration()
    const handle = table.handleOf(number)
    if (!index.has(handle) || !allowsStream(index, principal, handle, 'GET')) continue
    series.push({ number, handle, streamUid: undefined })
  }
  const told = await tellApart(table, series, (handle) => index.streamUid(handle))
  if (ofStream.length === 0) return told
  return { ...told, series: await filterByStream(told.series, ofStream, testTexts) }
}

/** Of series with equal labels all but the first one made get the UID of their stream. */
async function tellApart(
  table: LabelTable,
  series: readonly ReadableSeries[],
  uidOf: (handle: StreamHandle) => string,
): Promise<Pick<SelectedSeries, 'series' | 'warnings'>> {
  const firsts = new Map<string, ReadableSeries>()
  const later = new Set<ReadableSeries>()
  for (const [at, one] of series.entries()) {
    if (at % PER_SLICE === PER_SLICE - 1) await nextIteration()
    const key = table.keyOf(one.number)
    const known = firsts.get(key)
    if (known === undefined) {
      firsts.set(key, one)
      continue
    }
    const [first, second] = known.handle < one.handle ? [known, one] : [one, known]
    firsts.set(key, first)
    later.add(second)
  }
  if (later.size === 0) return { series, warnings: [] }
  const warning = `${later.size} streams have the labels of other streams. The label ${STREAM_LABEL} tells them apart`
  const told = series.map((one) => {
    return later.has(one) ? { ...one, streamUid: uidOf(one.handle) } : one
  })
  return { series: told, warnings: [`PromQL warning: ${warning}`] }
}

async function filterByStream(
  series: readonly ReadableSeries[],
  matchers: readonly SeriesMatcher[],
  testTexts: TestTexts,
): Promise<ReadableSeries[]> {
  let left = [...series]
  for (const { accept } of await labelMatchers(matchers, testTexts)) {
    const accepted = await accept(left.map(({ streamUid = '' }) => streamUid))
    left = left.filter((_, at) => accepted[at] === 1)
  }
  return left
}

/** Names that become that of a matcher when their other characters are replaced by `_`, unless a series has the name itself. */
async function replaceName(
  parts: SelectionParts,
  table: LabelTable,
  matchers: readonly SeriesMatcher[],
) {
  const named = matchers.find(
    ({ name, operation, value }) =>
      name === NAME_LABEL && operation === '=' && CLASSIC_NAME.test(value),
  )
  if (named === undefined) return undefined
  const exact = matchers.length === 1 ? [] : (await findSeries(parts, table, [named])).series
  if (exact.length > 0) return undefined
  const names = await alikeNames(table, named.value)
  if (names.length === 0) return undefined
  const shown = names.slice(0, 3).map((name) => JSON.stringify(name))
  const info = `PromQL info: no series is named "${named.value}", so that names were used that become it with "_" in place of other characters: ${shown.join(', ')}${names.length > 3 ? ', …' : ''}`
  return { matchers: matchers.filter((one) => one !== named), names, info }
}
