import { getRecord, recordKey } from '../../../api/records.ts'
import { useQuery } from '../../../api/use-query.ts'
import { Link } from '../../../app/link.tsx'
import { browserZone } from '../../../ui/time/zone-time.ts'
import { ROWS_MAX, runSaved } from '../../query/gql-answer.ts'
import { usesRange } from '../../query/query-range.tsx'
import { ResultChart } from '../../query/result/result-chart.tsx'
import { ResultTable } from '../../query/result/result-table.tsx'
import type { Panel } from '../board-types.ts'
import { rangeAt } from '../ranges.ts'
import styles from './panels.module.css'

/** How often a live board repeats its queries: the service does not know which changes affect them. */
const REFRESH_MS = 30_000
const CHART_HEIGHT = 200

interface QueryPanelProps {
  readonly panel: Panel
  /** What @FROM and @UNTIL of the query are. */
  readonly range: string
  readonly isLive: boolean
}

/** The rows of a saved query, run with the rights of the viewer. */
export function QueryPanel({ panel, range, isLive }: QueryPanelProps) {
  const { uid = '', view } = panel.query ?? {}
  const isOff = uid === ''
  const saved = useQuery(recordKey('query', uid), (signal) => getRecord('query', uid, signal), {
    isOff,
  })
  const { revision, sql = '', timeZoneId = '' } = saved.data ?? {}
  const zone = timeZoneId || browserZone()
  const word = usesRange(sql) ? range : ''
  const rows = useQuery(
    recordKey('query', uid, 'rows', revision, word),
    (signal) =>
      runSaved(uid, {
        range: word === '' ? undefined : rangeAt(word, zone, Date.now()),
        signal,
      }),
    {
      isOff: revision === undefined,
      refreshMs: isLive ? REFRESH_MS : undefined,
      keepPrevious: true,
    },
  )
  if (isOff) {
    return <p className={styles.gone}>No query chosen. Edit the panel to choose one.</p>
  }
  const error = saved.error ?? rows.error
  if (error !== undefined) {
    const isGone = saved.error?.status === 404
    return <p className={styles.gone}>{isGone ? 'The query was deleted.' : error.message}</p>
  }
  if (saved.data === undefined || rows.data === undefined) return null
  const { name, id } = saved.data
  const label = panel.title || name || id || 'Query'
  return (
    <div className={styles.query}>
      {view === 'chart' ? (
        <ResultChart answer={rows.data} height={CHART_HEIGHT} isCompact label={label} zone={zone} />
      ) : (
        <ResultTable
          label={`Rows of ${label}`}
          columns={rows.data.cols}
          rows={rows.data.rows}
          zone={zone}
        />
      )}
      <p className={styles.gone}>
        <Link to={`/query/${uid}`}>{name || id || 'The query'}</Link>
        {rows.data.more === true && `, the first ${ROWS_MAX} rows`}
      </p>
    </div>
  )
}
