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
import { type Channel, placeOf, TARGET_WORDS, targetOf } from './channel-words.ts'

const PAGE = 100

const columns: ReadonlyArray<Column<Channel>> = [
  {
    id: 'name',
    label: 'Name',
    show: ({ uid, name }) => (
      <Link className={styles.name} to={`/alerts/channels/${uid}`}>
        {name}
      </Link>
    ),
  },
  { id: 'kind', label: 'Kind', show: (one) => TARGET_WORDS[targetOf(one)] },
  {
    id: 'place',
    label: 'Recipient',
    show: (one) => <span className={styles.name}>{placeOf(one)}</span>,
  },
  {
    id: 'signed',
    label: 'Signed',
    show: ({ kind, hasSecret }) => (kind === 'EMAIL' ? '–' : hasSecret ? 'Yes' : 'No'),
  },
]

/** Where alerts of the organization are sent. */
export function ChannelsPage() {
  const isReader = useRole() === 'GUEST'
  const { query } = useAddress()
  const start = Math.max(0, Number(query.get('start') ?? 0) || 0)
  const { data, error } = useQuery(
    recordKey('channel', 'list', start),
    (signal) => listRecords('channel', { start: String(start), limit: String(PAGE) }, signal),
    { keepPrevious: true },
  )
  const make = isReader ? undefined : (
    <Button kind="primary" icon="plus" onClick={() => navigate('/alerts/channels/new')}>
      New channel
    </Button>
  )
  return (
    <SectionFrame section={ALERTS} here="/alerts/channels" actions={make}>
      {error !== undefined && <Empty text={error.message} />}
      {data?.total === 0 && (
        <Empty text="No channels. A channel sends alerts to Slack, Discord, Telegram, ntfy, Home Assistant, any webhook, or by email." />
      )}
      {data !== undefined && data.total > 0 && (
        <DataTable label="Channels" columns={columns} rows={data.rows} keyOf={({ uid }) => uid} />
      )}
      <Pages start={start} total={data?.total ?? 0} size={PAGE} name="start" />
    </SectionFrame>
  )
}
