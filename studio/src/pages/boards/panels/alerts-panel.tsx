import { recordKey } from '../../../api/records.ts'
import { useQuery } from '../../../api/use-query.ts'
import { Link } from '../../../app/link.tsx'
import { streamPath } from '../../../app/paths.ts'
import { askAlerts, type BoardAlert } from '../../../state/alert-board.ts'
import { useAlertNews } from '../../../state/alert-news.ts'
import { Age } from '../../../ui/time/age.tsx'
import { SEVERITY_WORDS, STATE_WORDS } from '../../alerts/alert/alert-words.ts'
import { StateBadge } from '../../alerts/alert/state-badge.tsx'
import type { Panel } from '../board-types.ts'
import styles from './alerts-panel.module.css'

/** Rows of a panel; the page of alerts has the others. */
const SHOWN_MAX = 50

interface AlertsPanelProps {
  readonly panel: Panel
  readonly isLive: boolean
}

/** Alerts that fire, or all of them, the most serious first. */
export function AlertsPanel({ panel, isLive }: AlertsPanelProps) {
  const { state = 'FIRING', template = '', folder = '', label = '' } = panel.alerts ?? {}
  const key = recordKey('alert', 'board-list', state, template, folder, label)
  const ask = () => askAlerts({ state, template, folder, label, limit: SHOWN_MAX })
  const { data, error, reload } = useQuery(key, ask, { keepPrevious: true })
  useAlertNews(reload, { isOff: !isLive })
  if (error !== undefined) return <p className={styles.soft}>{error.message}</p>
  if (data === undefined) return null
  const { alert: rows, totalCount } = data
  if (rows.length === 0) {
    return <p className={styles.soft}>{state === 'ALL' ? 'No alerts.' : 'No alert fires.'}</p>
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <div className={styles.scroll} tabIndex={0}>
      <ul className={styles.list} aria-label={panel.title || 'Alerts'}>
        {rows.map((row) => (
          <Row key={`${row.alertUid} ${row.streamUid}`} row={row} />
        ))}
      </ul>
      {totalCount > rows.length && (
        <p className={styles.soft}>
          And {(totalCount - rows.length).toLocaleString()} more under{' '}
          <Link to="/alerts">Alerts</Link>
        </p>
      )}
    </div>
  )
}

function Row({ row }: { readonly row: BoardAlert }) {
  const { alertUid, alertName, severity, state, startedMs, componentUid, streamUid, value } = row
  const words = [
    SEVERITY_WORDS[severity],
    row.isAcknowledged ? 'acknowledged' : '',
    row.isMuted ? 'muted' : '',
  ]
  return (
    <li className={styles.row} data-severity={severity}>
      <StateBadge state={state} text={STATE_WORDS[state]} />
      <div className={styles.about}>
        <Link className={styles.name} to={`/alerts/${alertUid}`}>
          {alertName || 'Unnamed'}
        </Link>
        <span className={styles.soft}>
          {words.filter(Boolean).join(', ')}
          {startedMs !== null && (
            <>
              {', began '}
              <Age time={startedMs} />
            </>
          )}
        </span>
        {streamUid !== '' && (
          <span>
            <Link to={streamPath(componentUid, streamUid)}>
              {row.componentId || 'Component'} / {row.streamId || 'stream'}
            </Link>
            {value !== null && `: ${value}`}
          </span>
        )}
      </div>
    </li>
  )
}
