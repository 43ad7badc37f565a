import { listRecords, recordKey } from '../../../api/records.ts'
import { useRole } from '../../../api/session.ts'
import { useQuery } from '../../../api/use-query.ts'
import { Link } from '../../../app/link.tsx'
import { navigate, useAddress } from '../../../app/place.ts'
import { SectionFrame } from '../../../app/section-frame.tsx'
import { Button } from '../../../ui/button.tsx'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { Empty } from '../../../ui/empty.tsx'
import styles from '../connect.module.css'
import { CONNECT } from '../connect-section.ts'
import { Pages } from '../pages.tsx'
import { type Connection, KIND_WORDS, nameOf, TLS_WORDS } from './connection-words.ts'

const PAGE = 100

const columns: ReadonlyArray<Column<Connection>> = [
  {
    id: 'name',
    label: 'Name',
    show: (one) => (
      <Link className={styles.name} to={`/connect/connections/${one.uid}`}>
        {nameOf(one)}
      </Link>
    ),
  },
  { id: 'kind', label: 'Database', show: ({ kind }) => KIND_WORDS[kind] },
  {
    id: 'host',
    label: 'Server',
    show: ({ host, port, database }) => (
      <span className={styles.name}>
        {host}:{port}
        {database === '' ? '' : `/${database}`}
      </span>
    ),
  },
  { id: 'tls', label: 'Encryption', show: ({ tls }) => TLS_WORDS[tls] },
]

/** The databases that imports of the organization read. */
export function ConnectionsPage() {
  const isReader = useRole() === 'GUEST'
  const { query } = useAddress()
  const start = Math.max(0, Number(query.get('start') ?? 0) || 0)
  const { data, error } = useQuery(
    recordKey('connection', 'list', start),
    (signal) => listRecords('connection', { start: String(start), limit: String(PAGE) }, signal),
    { keepPrevious: true },
  )
  const make = isReader ? undefined : (
    <Button kind="primary" icon="plus" onClick={() => navigate('/connect/connections/new')}>
      New connection
    </Button>
  )
  return (
    <SectionFrame section={CONNECT} here="/connect/connections" actions={make}>
      {error !== undefined && <Empty text={error.message} />}
      {data?.total === 0 && (
        <Empty text="No connections. A connection holds the address and the sign-in data of a database that imports read." />
      )}
      {data !== undefined && data.total > 0 && (
        <DataTable
          label="Connections"
          columns={columns}
          rows={data.rows}
          keyOf={({ uid }) => uid}
        />
      )}
      <Pages start={start} total={data?.total ?? 0} size={PAGE} name="start" />
    </SectionFrame>
  )
}
