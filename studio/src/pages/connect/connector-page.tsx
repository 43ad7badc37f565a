import { getRecord, recordKey } from '../../api/records.ts'
import { useQuery } from '../../api/use-query.ts'
import type { PageProps } from '../../app/page-entry.ts'
import { Empty } from '../../ui/empty.tsx'
import { ConnectFrame } from './connect-frame.tsx'
import { ConnectorEditor } from './connector-editor.tsx'

/** One connector; `new` in the place of its UID makes one. */
export function ConnectorPage({ params: { uid } }: PageProps) {
  return <OneConnector key={uid} uid={uid} />
}

function OneConnector({ uid }: { readonly uid: string }) {
  const { data, error } = useQuery(recordKey('connector', uid), (signal) =>
    getRecord('connector', uid, signal),
  )
  const title = uid === 'new' ? 'New connector' : data?.name || data?.id || 'Connector'
  return (
    <ConnectFrame title={title} here="/connect">
      {data === undefined && error !== undefined && <Empty text={error.message} />}
      {data !== undefined && <ConnectorEditor saved={data} />}
    </ConnectFrame>
  )
}
