import { call } from '../../../api/client.ts'
import { useQuery } from '../../../api/use-query.ts'
import { edgeTexts, momentTexts } from '../../../ui/time/offset-marks.ts'
import type { Panel, PanelStream } from '../board-types.ts'
import type { ShownValue } from '../live-board.ts'
import { rangeAt } from '../ranges.ts'
import { useNews } from '../use-news.ts'
import { GoneStream } from './gone-stream.tsx'
import styles from './panels.module.css'
import { nameOf, useStreamFacts } from './stream-facts.ts'
import { valueText } from './value-panel.tsx'

/** The latest samples of streams in the panel's range, the latest first. */
export function TablePanel({ panel, range }: { readonly panel: Panel; readonly range: string }) {
  return (
    <div className={styles.tables}>
      {panel.streams.map((stream) => (
        <OneTable
          key={`${stream.componentUid}/${stream.streamUid}`}
          panel={panel}
          stream={stream}
          range={range}
        />
      ))}
    </div>
  )
}

interface OneTableProps {
  readonly panel: Panel
  readonly stream: PanelStream
  readonly range: string
}

function OneTable({ panel, stream, range }: OneTableProps) {
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
  useNews([stream.streamUid], () => !isGone && found.reload())
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
        <Rows rows={found.data ?? []} zone={zone} isPeriods={cycleId !== '' && stat !== ''} />
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
}

/** Moments of samples, or both edges of periods, with their values. */
function Rows({ rows, zone, isPeriods }: RowsProps) {
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
            <td>{valueText(row)}</td>
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
async function readRows(stream: PanelStream, { panel, range, signal }: Asked) {
  const { cycleId, stat, rows } = panel.options
  const isPeriods = cycleId !== '' && stat !== ''
  const statistic = isPeriods ? { cycle: cycleId, stat: stat as 'avg', retIntvlSd: true } : {}
  const { from, until } = range
  const found = await call('get', '/api/component/{componentUid}/stream/{uid}/feed', {
    path: { componentUid: stream.componentUid, uid: stream.streamUid },
    query: { sd: from, ed: until, limit: rows, retFData: true, ...statistic },
    signal,
  })
  return found as readonly Row[]
}
