import { type AddressRule, addressOfSeries, type NewAddress } from '../catalog/index.ts'
import { LineReader } from './influx/line-reader.ts'
import { SeriesCache } from './series-cache.ts'

/** Series of a preview: more than fit a page. */
const SERIES_MAX = 100

/** Where the first point of a series would be stored. */
interface PreviewedSeries extends NewAddress {
  /** The number of the first line that has it. */
  readonly line: number
  readonly series: Readonly<Record<string, string>>
}

/** What address rules make of lines. */
interface LinesPreview {
  readonly series: readonly PreviewedSeries[]
  /** Lines that cannot be read. */
  readonly refused: ReadonlyArray<{ readonly line: number; readonly reason: string }>
  /** Whether lines follow that were not read. */
  readonly isCut: boolean
}

const NO_STREAMS = { seriesGeneration: 0, has: () => false }

/** Reads lines of line protocol as a write does, and says where rules put their series if they are new. Stores nothing. */
export function previewLines(text: string, rules: readonly AddressRule[]): LinesPreview {
  const reader = new LineReader(Buffer.from(text), new SeriesCache(NO_STREAMS), {
    precision: 'auto',
    samplesMax: Number.POSITIVE_INFINITY,
    seriesMax: SERIES_MAX,
  })
  const slice = reader.begin()
  reader.read('', Number.POSITIVE_INFINITY)
  const { samples } = slice
  // A line that was refused behind its first field leaves a series without samples.
  const read = samples.series.filter((open) => open.samples.length > 0)
  const series = read.map((open) => {
    const { line } = slice.lineOf(open.samples[0])
    return { line, series: open.series, ...addressOfSeries(open.series, rules, open.address) }
  })
  samples.release()
  const refused = slice.refused.map(({ line, reason }) => ({ line, reason }))
  return { series, refused, isCut: !reader.isAtEnd }
}
