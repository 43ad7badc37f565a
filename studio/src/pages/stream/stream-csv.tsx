import { request } from '../../api/client.ts'
import { statisticLabel } from '../../chart/period-table.tsx'
import type { TimeRange } from '../../chart/time-range.ts'
import type { CycleChoice } from '../../state/cycle-choice.ts'
import { readPeriods } from '../../state/plots.ts'
import type { FoundStream } from '../../state/use-stream.ts'
import { CsvButton, type Progress } from './csv-button.tsx'
import { csvName, isoTimes, periodsCsv, withIsoTimes } from './csv-text.ts'

/** Rows of a file at most: what a spreadsheet can open. */
const ROWS_MAX = 1_000_000
const ROWS_PER_CALL = 1_000

interface SamplesCsvProps {
  readonly found: FoundStream
  readonly range: TimeRange
  /** Whose time zone is used. */
  readonly zone: string
}

/** Downloads the samples of a range, the latest first. */
export function SamplesCsv({ found, range, zone }: SamplesCsvProps) {
  const fetchParts = async (progress: Progress) => {
    const parts = await fetchSamples(found, range, progress)
    const isoOf = isoTimes(zone)
    return parts.map((part, at) => withIsoTimes(part, { isoOf, hasHead: at === 0 }))
  }
  return <CsvButton name={csvName(found, range, zone)} fetchParts={fetchParts} />
}

async function fetchSamples(
  { componentUid, streamUid }: FoundStream,
  { from, until }: TimeRange,
  { signal, onRows }: Progress,
): Promise<string[]> {
  const path = `/api/component/${componentUid}/stream/${streamUid}/feed`
  const parts: string[] = []
  let next: string | undefined = `${path}?format=csv&sd=${from}&ed=${until}&limit=${ROWS_PER_CALL}`
  for (let rows = 0; next !== undefined && rows < ROWS_MAX; rows += ROWS_PER_CALL) {
    const answer: Response = await request(next, { signal })
    const text = await answer.text()
    // Every answer begins with the line of names; the file has it once.
    parts.push(parts.length === 0 ? text : text.slice(text.indexOf('\n') + 1))
    onRows(rows + ROWS_PER_CALL)
    next = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]
  }
  return parts
}

interface PeriodsCsvProps extends SamplesCsvProps {
  readonly cycle: string
  /** The statistics that are shown, that of the chart first. */
  readonly stats: readonly string[]
}

/** Downloads the statistics of the periods of a range, the latest first, with the columns that are shown. */
export function PeriodsCsv({ found, range, zone, cycle, stats }: PeriodsCsvProps) {
  const fetchParts = async ({ signal, onRows }: Progress) => {
    const columns = []
    for (const stat of stats) {
      const choice: CycleChoice = { cycle, stat }
      const periods = await readPeriods(found, { range, choice, signal, onRows })
      columns.push({ label: statisticLabel(stat), ...periods })
    }
    return [periodsCsv(columns, isoTimes(zone))]
  }
  return <CsvButton name={csvName(found, range, zone, cycle)} fetchParts={fetchParts} />
}
