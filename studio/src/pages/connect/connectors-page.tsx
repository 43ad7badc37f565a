import { listRecords, recordKey } from '../../api/records.ts'
import { useRole } from '../../api/session.ts'
import { useQuery } from '../../api/use-query.ts'
import { Link } from '../../app/link.tsx'
import { navigate, useAddress } from '../../app/place.ts'
import { SectionFrame } from '../../app/section-frame.tsx'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Moment } from '../../ui/time/moment.tsx'
import styles from './connect.module.css'
import { CONNECT } from './connect-section.ts'
import type { Connector } from './connector-types.ts'
import { scheduleWords } from './import/schedule-words.ts'
import { Pages } from './pages.tsx'

const PAGE = 100

const columns: ReadonlyArray<Column<Connector>> = [
  {
    id: 'name',
    label: 'Name',
    show: ({ uid, name, id }) => (
      <Link className={styles.name} to={`/connect/${uid}`}>
        {name || id}
      </Link>
    ),
  },
  { id: 'id', label: 'ID', show: ({ id }) => <span className={styles.name}>{id}</span> },
  {
    id: 'kind',
    label: 'Source',
    show: ({ connType, schedule, nextRun }) => {
      if (connType === 'HTTP') return 'HTTP requests'
      return (
        <span>
          Database
          <span className={styles.beside}>
            {scheduleWords(schedule)}
            {nextRun !== null && (
              <>
                ; next: <Moment time={nextRun} />
              </>
            )}
          </span>
        </span>
      )
    },
  },
  { id: 'enabled', label: 'State', show: ({ isEnabled }) => (isEnabled ? 'On' : 'Off') },
  {
    id: 'user',
    label: 'Runs as',
    show: ({ runningUser }) => <span className={styles.name}>{runningUser.name}</span>,
  },
]

/** All connectors of the organization. */
export function ConnectorsPage() {
  const isReader = useRole() === 'GUEST'
  const { query } = useAddress()
  const start = Math.max(0, Number(query.get('start') ?? 0) || 0)
  const { data, error } = useQuery(
    recordKey('connector', 'list', start),
    (signal) => listRecords('connector', { start: String(start), limit: String(PAGE) }, signal),
    { keepPrevious: true },
  )
  const make = isReader ? undefined : (
    <>
      <Button icon="plus" onClick={() => navigate('/connect/new?kind=import')}>
        New import
      </Button>
      <Button kind="primary" icon="plus" onClick={() => navigate('/connect/new')}>
        New connector
      </Button>
    </>
  )
  return (
    <SectionFrame section={CONNECT} here="/connect" actions={make}>
      {error !== undefined && <Empty text={error.message} />}
      {data?.total === 0 && (
        <Empty text="No connectors. A connector receives payloads from another system and converts them to samples with SQL. An import reads a database." />
      )}
      {data !== undefined && data.total > 0 && (
        <DataTable label="Connectors" columns={columns} rows={data.rows} keyOf={({ uid }) => uid} />
      )}
      <Pages start={start} total={data?.total ?? 0} size={PAGE} name="start" />
    </SectionFrame>
  )
}
