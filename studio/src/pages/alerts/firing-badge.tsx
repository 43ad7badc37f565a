import { listRecords, recordKey } from '../../api/records.ts'
import { useQuery } from '../../api/use-query.ts'
import styles from './firing-badge.module.css'

const REFRESH_MS = 15_000

/** How many alerts fire, for the navigation. */
export function FiringBadge() {
  const { data } = useQuery(
    recordKey('alert', 'firing'),
    (signal) => listRecords('alert', { state: 'FIRING', limit: '1' }, signal),
    { keepPrevious: true, refreshMs: REFRESH_MS },
  )
  const count = data?.total ?? 0
  if (count === 0) return null
  return (
    <span className={styles.badge}>
      {count}
      <span className="visually-hidden"> firing</span>
    </span>
  )
}
