import { call } from '../../api/client.ts'
import type { Schema } from '../../api/paths.ts'
import { useQuery } from '../../api/use-query.ts'
import { useAddress } from '../../app/place.ts'
import { Button } from '../../ui/button.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Moment } from '../../ui/time/moment.tsx'
import { useAuditNames } from './audit-names.ts'
import styles from './section.module.css'

const PAGE = 100
const REFRESH_MS = 10_000

/** The security acts of the organization, newest first. */
export function AuditSection() {
  const { query, change } = useAddress()
  const start = Math.max(0, Math.trunc(Number(query.get('from') ?? 0)) || 0)
  const { data, error } = useQuery(
    ['audit', start],
    (signal) => call('get', '/api/audit', { query: { start, limit: PAGE }, signal }),
    { keepPrevious: true, refreshMs: REFRESH_MS },
  )
  const { actorOf, targetOf } = useAuditNames()
  const total = data?.totalCount ?? 0
  const turn = (to: number) => change({ from: to <= 0 ? undefined : String(to) }, { step: true })
  return (
    <div className={styles.section}>
      <div className={styles.bar}>
        <p>
          Who signed in, made or revealed keys, changed roles, exported or deleted. Kept for two
          years.
        </p>
      </div>
      {error !== undefined && <Empty text={error.message} />}
      {data !== undefined && (
        <DataTable
          label="Audit log"
          rows={data.audit}
          keyOf={({ uid }) => uid}
          columns={[
            { id: 'time', label: 'When', show: ({ time }) => <Moment time={time} /> },
            {
              id: 'act',
              label: 'What',
              show: ({ act }: Schema<'Audit'>) => act.replaceAll('_', ' '),
            },
            {
              id: 'actor',
              label: 'By',
              show: ({ actor }) => <div className={styles.mail}>{actorOf(actor)}</div>,
            },
            {
              id: 'target',
              label: 'Concerning',
              show: ({ target, detail }) => targetOf(target, detail),
            },
            { id: 'address', label: 'From', show: ({ address }) => address },
            {
              id: 'detail',
              label: 'Detail',
              show: ({ detail }) => <div className={styles.sentence}>{detail}</div>,
            },
          ]}
        />
      )}
      <div className={styles.pager}>
        <Button disabled={start === 0} onClick={() => turn(start - PAGE)}>
          Newer
        </Button>
        <Button disabled={start + PAGE >= total} onClick={() => turn(start + PAGE)}>
          Older
        </Button>
        {total > 0 && (
          <span className={styles.soft}>
            {start + 1} to {Math.min(start + PAGE, total)} of {total.toLocaleString()}
          </span>
        )}
      </div>
    </div>
  )
}
