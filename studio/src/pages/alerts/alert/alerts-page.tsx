import { listRecords, recordKey } from '../../../api/records.ts'
import { useRole } from '../../../api/session.ts'
import { useQuery } from '../../../api/use-query.ts'
import { Link } from '../../../app/link.tsx'
import { navigate, useAddress } from '../../../app/place.ts'
import { SectionFrame } from '../../../app/section-frame.tsx'
import { Button } from '../../../ui/button.tsx'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { Empty } from '../../../ui/empty.tsx'
import styles from '../../connect/connect.module.css'
import { Pages } from '../../connect/pages.tsx'
import { ALERTS } from '../alerts-section.ts'
import { type Alert, nameOf, SEVERITY_WORDS, stateWords, watchedWords } from './alert-words.ts'
import { StateBadge } from './state-badge.tsx'

const PAGE = 100
const REFRESH_MS = 5_000

const columns: ReadonlyArray<Column<Alert>> = [
  {
    id: 'name',
    label: 'Name',
    show: (one) => (
      <Link className={styles.name} to={`/alerts/${one.uid}`}>
        {nameOf(one)}
      </Link>
    ),
  },
  {
    id: 'state',
    label: 'State',
    show: (one) => <StateBadge state={one.enabled ? one.state : 'OK'} text={stateWords(one)} />,
  },
  { id: 'severity', label: 'Severity', show: ({ severity }) => SEVERITY_WORDS[severity] },
  {
    id: 'watches',
    label: 'Watches',
    show: (one) => <span className={styles.name}>{watchedWords(one)}</span>,
  },
  {
    id: 'condition',
    label: 'Condition',
    show: ({ condition }) => <code className={styles.name}>{condition || '–'}</code>,
  },
]

/** The alerts of the organization with their states. */
export function AlertsPage() {
  const isReader = useRole() === 'GUEST'
  const { query } = useAddress()
  const start = Math.max(0, Number(query.get('start') ?? 0) || 0)
  const { data, error } = useQuery(
    recordKey('alert', 'list', start),
    (signal) => listRecords('alert', { start: String(start), limit: String(PAGE) }, signal),
    { keepPrevious: true, refreshMs: REFRESH_MS },
  )
  const make = isReader ? undefined : (
    <Button kind="primary" icon="plus" onClick={() => navigate('/alerts/new')}>
      New alert
    </Button>
  )
  return (
    <SectionFrame section={ALERTS} here="/alerts" actions={make}>
      {error !== undefined && <Empty text={error.message} />}
      {data?.total === 0 && (
        <Empty text="No alerts. An alert watches streams and sends a message when a condition holds, or when samples stop." />
      )}
      {data !== undefined && data.total > 0 && (
        <DataTable label="Alerts" columns={columns} rows={data.rows} keyOf={({ uid }) => uid} />
      )}
      <Pages start={start} total={data?.total ?? 0} size={PAGE} name="start" />
    </SectionFrame>
  )
}
