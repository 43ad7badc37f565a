import { getRecord, type RecordKinds, recordKey } from '../../api/records.ts'
import { useQuery } from '../../api/use-query.ts'
import { Link } from '../../app/link.tsx'
import type { PageProps } from '../../app/page-entry.ts'
import { Empty } from '../../ui/empty.tsx'
import { PageFrame } from '../../ui/page-frame.tsx'
import { QueryDesk } from './query-desk.tsx'

/** A query that nobody has saved. */
const BLANK: RecordKinds['query'] = {
  uid: '',
  id: '',
  name: '',
  description: '',
  sql: '',
  timeZoneId: '',
  revision: 0,
}

/** A query that is saved, or a text of one's own. */
export function QueryPage({ params }: PageProps) {
  const { uid = '' } = params
  const { data, error } = useQuery(
    recordKey('query', uid),
    (signal) => getRecord('query', uid, signal),
    { isOff: uid === '' },
  )
  const saved = uid === '' ? BLANK : data
  if (saved === undefined) {
    return (
      <PageFrame title="Query">
        {error !== undefined && (
          <Empty text={error.message}>
            <Link to="/query">New query</Link>
          </Empty>
        )}
      </PageFrame>
    )
  }
  return <QueryDesk key={uid} saved={saved} />
}
