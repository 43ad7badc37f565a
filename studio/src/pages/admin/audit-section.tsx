import { call, request } from '../../api/client.ts'
import type { Schema } from '../../api/paths.ts'
import { useQuery } from '../../api/use-query.ts'
import { useAddress } from '../../app/place.ts'
import { Button } from '../../ui/button.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Moment } from '../../ui/time/moment.tsx'
import { CsvButton, type Progress } from '../stream/csv-button.tsx'
import { type AuditFilter, AuditFilters, filterIn } from './audit-filters.tsx'
import { useAuditNames } from './audit-names.ts'
import styles from './section.module.css'

const PAGE = 100
const REFRESH_MS = 10_000

/** The audit log of the organization, newest first, with filters. */
export function AuditSection() {
  const { query } = useAddress()
  const start = Math.max(0, Math.trunc(Number(query.get('from') ?? 0)) || 0)
  const filter = filterIn(query)
  const { data, error } = useQuery(
    ['audit', start, JSON.stringify(filter)],
    (signal) => call('get', '/api/audit', { query: { start, limit: PAGE, ...filter }, signal }),
    { keepPrevious: true, refreshMs: REFRESH_MS },
  )
  const names = useAuditNames()
  return (
    <div className={styles.section}>
      <div className={styles.bar}>
        <p>
          Sign-ins, use of keys, and every create, change, export, and delete. Entries are kept for
          two years.
        </p>
        <CsvButton name="audit.csv" fetchParts={(progress) => fetchCsv(filter, progress)} />
      </div>
      <AuditFilters callers={names.callers} />
      {error !== undefined && <Empty text={error.message} />}
      {data?.audit.length === 0 && <Empty text="No matching entries." />}
      {data !== undefined && data.audit.length > 0 && (
        <AuditTable entries={data.audit} names={names} />
      )}
      {data !== undefined && <Pager start={start} {...data} />}
    </div>
  )
}

async function fetchCsv(filter: AuditFilter, { signal }: Progress): Promise<string[]> {
  const chosen = Object.entries(filter).map(([name, value]) => [name, String(value)])
  const query = new URLSearchParams([['format', 'csv'], ...chosen])
  const answer = await request(`/api/audit?${query}`, { signal })
  return [await answer.text()]
}

function AuditTable({
  entries,
  names: { actorOf, targetOf },
}: {
  readonly entries: readonly Schema<'Audit'>[]
  readonly names: ReturnType<typeof useAuditNames>
}) {
  return (
    <DataTable
      label="Audit log"
      rows={entries}
      keyOf={({ uid }) => uid}
      columns={[
        { id: 'time', label: 'Time', show: ({ time }) => <Moment time={time} /> },
        { id: 'act', label: 'Action', show: ({ act }) => act.replaceAll('_', ' ') },
        {
          id: 'actor',
          label: 'By',
          show: ({ actor }) => <div className={styles.mail}>{actorOf(actor)}</div>,
        },
        { id: 'target', label: 'Target', show: ({ target, detail }) => targetOf(target, detail) },
        { id: 'address', label: 'IP address', show: ({ address }) => address },
        {
          id: 'detail',
          label: 'Details',
          show: ({ detail }) => <div className={styles.sentence}>{detail}</div>,
        },
      ]}
    />
  )
}

interface PagerProps {
  readonly start: number
  readonly totalCount: number
  readonly readFrom?: number
}

function Pager({ start, totalCount, readFrom }: PagerProps) {
  const { change } = useAddress()
  const goTo = (to: number) => change({ from: to <= 0 ? undefined : String(to) }, { step: true })
  const goOn = () => change({ before: String(readFrom), from: undefined }, { step: true })
  return (
    <div className={styles.pager}>
      <Button disabled={start === 0} onClick={() => goTo(start - PAGE)}>
        Newer
      </Button>
      <Button disabled={start + PAGE >= totalCount} onClick={() => goTo(start + PAGE)}>
        Older
      </Button>
      {totalCount > start && (
        <span className={styles.soft}>
          {start + 1} to {Math.min(start + PAGE, totalCount)} of {totalCount.toLocaleString()}
        </span>
      )}
      {readFrom !== undefined && (
        <>
          <span className={styles.soft}>
            Searched back to <Moment time={readFrom} />.
          </span>
          <Button onClick={goOn}>Search older entries</Button>
        </>
      )}
    </div>
  )
}
