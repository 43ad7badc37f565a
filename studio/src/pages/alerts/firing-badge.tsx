import { listRecords, recordKey } from '../../api/records.ts'
import { useQuery } from '../../api/use-query.ts'
import styles from './firing-badge.module.css'

const REFRESH_MS = 15_000
/** Alerts that are counted: those of one page of the list. */
const COUNTED_MAX = '100'

/** How many alerts fire, for the navigation. */
export function FiringBadge() {
  const { data } = useQuery(
    recordKey('alert', 'firing'),
    (signal) => listRecords('alert', { limit: COUNTED_MAX }, signal),
    { keepPrevious: true, refreshMs: REFRESH_MS },
  )
  const count = data?.rows.filter(({ enabled, state }) => enabled && state === 'FIRING').length ?? 0
  if (count === 0) return null
  return (
    <span className={styles.badge}>
      {count}
      <span className="visually-hidden"> firing</span>
    </span>
  )
}
