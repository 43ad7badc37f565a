import { useContext, useEffect, useRef } from 'react'
import { call } from '../../../api/client.ts'
import { type QueryKey, queries } from '../../../api/query-cache.ts'
import { useQuery } from '../../../api/use-query.ts'
import { formatNumber } from '../../../chart/number-format.ts'
import { withUnit } from '../../../chart/unit-text.ts'
import { askPlot } from '../../../state/plots.ts'
import { edgeTexts, momentTexts } from '../../../ui/time/offset-marks.ts'
import type { Panel, PanelStream } from '../board-types.ts'
import { LiveContext, type ShownValue } from '../live-board.ts'
import { isMoving, rangeAt } from '../ranges.ts'
import { useNews } from '../use-news.ts'
import { GoneStream } from './gone-stream.tsx'
import styles from './panels.module.css'
import { nameOf, useStreamFacts } from './stream-facts.ts'
import { valueText } from './value-panel.tsx'

interface TablePanelProps {
  readonly panel: Panel
  readonly range: string
  readonly isLive: boolean
}

/** The latest samples of streams in the panel's range, the latest first. */
export function TablePanel({ panel, range, isLive }: TablePanelProps) {
  return (
    <div className={styles.tables}>
      {panel.streams.map((stream) => (
        <OneTable
          key={`${stream.componentUid}/${stream.streamUid}`}
          panel={panel}
          stream={stream}
          range={range}
          isLive={isLive}
        />
      ))}
    </div>
  )
}

interface OneTableProps extends TablePanelProps {
  readonly stream: PanelStream
}

function OneTable({ panel, stream, range, isLive }: OneTableProps) {
  const { facts, isGone, error } = useStreamFacts(stream)
  const zone = panel.options.timeZoneId || facts?.timeZoneId || 'UTC'
  const { cycleId, stat, rows } = panel.options
  const key = ['table', stream.streamUid, range, zone, rows, cycleId, stat]
  const found = useQuery(
    key,
    (signal) => readRows(stream, { panel, range: rangeAt(range, zone, Date.now()), signal }),
    // Days begin in the zone of the stream.
    { isOff: facts === undefined || isGone, keepPrevious: true },
  )
  const isPeriods = cycleId !== '' && stat !== ''
  const isFollowed = isLive && !isPeriods && isMoving(range)
  const needsReload = useArrivals(stream.streamUid, { key, rows, isOff: !isFollowed })
  useNews([stream.streamUid], () => !isGone && needsReload() && found.reload())
  if (isGone) return <GoneStream stream={stream} name={facts && nameOf(facts)} />
  const name = facts === undefined ? '' : nameOf(facts)
  const problem = error ?? found.error?.message
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <div className={styles.scroll} tabIndex={0}>
      <table className={styles.table}>
        <caption>
          <span className={styles.caption} title={name}>
            {name}
          </span>
        </caption>
        <Rows
          rows={found.data ?? []}
          zone={zone}
          isPeriods={isPeriods}
          decimals={panel.options.decimals}
        />
      </table>
      {problem !== undefined && <p className={styles.gone}>{problem}</p>}
      {found.data?.length === 0 && <p className={styles.gone}>No samples in this range.</p>}
    </div>
  )
}

/** A sample, or the statistic of a period. */
interface Row extends ShownValue {
  /** Where the period starts. */
  readonly sdTime?: number
}

interface RowsProps {
  readonly rows: readonly Row[]
  readonly zone: string
  readonly isPeriods: boolean
  readonly decimals: number | undefined
}

/** Moments of samples, or both edges of periods, with their values. */
function Rows({ rows, zone, isPeriods, decimals }: RowsProps) {
  const ends = rows.map(({ time }) => time)
  const starts = rows.map(({ time, sdTime = time }) => sdTime)
  const columns = isPeriods
    ? [
        { head: `From, ${zone}`, texts: edgeTexts(zone, starts) },
        { head: 'Until', texts: edgeTexts(zone, ends) },
      ]
    : [{ head: `Time, ${zone}`, texts: momentTexts(zone, ends) }]
  return (
    <>
      <thead>
        <tr>
          {columns.map(({ head }) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
          <th scope="col">Value</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          <tr key={row.time}>
            {columns.map(({ head, texts }) => (
              <td key={head}>{texts[at]}</td>
            ))}
            <td>{valueText(row, decimals)}</td>
          </tr>
        ))}
      </tbody>
    </>
  )
}

interface Asked {
  readonly panel: Panel
  readonly range: { readonly from: number; readonly until: number }
  readonly signal: AbortSignal
}

/** By UIDs, which every stream has; IDs may be blank, or such that no address holds them. */
async function readRows(stream: PanelStream, asked: Asked): Promise<readonly Row[]> {
  const { panel, range, signal } = asked
  const { cycleId, stat, rows } = panel.options
  if (cycleId !== '' && stat !== '') return await readPeriods(stream, asked)
  const { from, until } = range
  const found = await call('get', '/api/component/{componentUid}/stream/{uid}/feed', {
    path: { componentUid: stream.componentUid, uid: stream.streamUid },
    query: { sd: from, ed: until, limit: rows, retFData: true },
    signal,
  })
  return found as readonly Row[]
}

/** The latest periods, the latest first, asked for with the plots of the board. */
async function readPeriods(
  stream: PanelStream,
  { panel, range, signal }: Asked,
): Promise<readonly Row[]> {
  const { cycleId, stat, rows } = panel.options
  const cycle = { cycle: cycleId, stat }
  const plot = await askPlot(stream, { range, points: rows, cycle }, signal)
  const { start = [], end = [], value = [], unit, numberFormat } = plot
  const shown = start.flatMap((sdTime, at) => {
    const data = value[at]
    if (data === null || data === undefined) return []
    const fData =
      typeof data === 'number' ? withUnit(formatNumber(data, numberFormat), unit) : undefined
    return [{ sdTime, time: end[at], data, fData }]
  })
  return shown.reverse()
}

interface Arriving {
  readonly key: QueryKey
  readonly rows: number
  /** Whether the table shows something that samples cannot be added to. */
  readonly isOff: boolean
}

/** Puts samples on top of the rows as they arrive. Answers whether the rows must be asked for again. */
function useArrivals(streamUid: string, { key, rows, isOff }: Arriving): () => boolean {
  const values = useContext(LiveContext)
  const isStale = useRef(false)
  const seen = useRef<ShownValue>(undefined)
  const text = JSON.stringify(key)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is the key.
  useEffect(
    () =>
      values.follow(streamUid, () => {
        const sample = values.get(streamUid)
        const isNews = sample !== undefined && sample !== seen.current
        seen.current = sample
        // A change without a sample, such as a deletion, concerns any row.
        if (isOff || !isNews || isBehind(queries.peek<readonly Row[]>(key).data, sample)) {
          isStale.current = true
          return
        }
        queries.put<readonly Row[] | undefined>(key, (known) => withRow(known, sample, rows))
      }),
    [values, streamUid, text, rows, isOff],
  )
  return () => {
    const wasStale = isStale.current
    isStale.current = false
    return wasStale
  }
}

/** Whether a sample is older than the newest row, or another one at its time. */
function isBehind(known: readonly Row[] | undefined, { time, data }: ShownValue): boolean {
  const newest = known?.[0]
  if (newest === undefined || time > newest.time) return false
  return time < newest.time || data !== newest.data
}

function withRow(known: readonly Row[] | undefined, sample: ShownValue, rowsMax: number) {
  if (known === undefined || sample.time <= (known[0]?.time ?? 0)) return known
  return [sample, ...known].slice(0, rowsMax)
}
