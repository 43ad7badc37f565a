import { recordKey } from '../../api/records.ts'
import { useQuery } from '../../api/use-query.ts'
import { askAlerts } from '../../state/alert-board.ts'
import { useAlertPoll } from '../../state/alert-news.ts'
import styles from './firing-badge.module.css'

/** How many alerts fire, for the navigation. */
export function FiringBadge() {
  const ask = () => askAlerts({ limit: 0 })
  const { data, reload } = useQuery(recordKey('alert', 'firing'), ask, { keepPrevious: true })
  useAlertPoll(reload)
  const count = data?.firingCount ?? 0
  if (count === 0) return null
  return (
    <span className={styles.badge}>
      {count}
      <span className="visually-hidden"> firing</span>
    </span>
  )
}
