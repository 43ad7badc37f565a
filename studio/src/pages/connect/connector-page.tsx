import { getRecord, recordKey } from '../../api/records.ts'
import { useQuery } from '../../api/use-query.ts'
import type { PageProps } from '../../app/page-entry.ts'
import { useAddress } from '../../app/place.ts'
import { SectionFrame } from '../../app/section-frame.tsx'
import { Empty } from '../../ui/empty.tsx'
import { CONNECT } from './connect-section.ts'
import { ConnectorEditor } from './connector-editor.tsx'
import type { Connector } from './connector-types.ts'

/** What a connector has that reads a database. */
const NEW_IMPORT: Partial<Connector> = {
  connType: 'DB_IMPORT',
  connection: { uid: '' },
  externalSql: '',
  maxRows: 0,
  skipUnchangedRows: true,
  schedule: null,
}

/** One connector; `new` in the place of its UID makes one. */
export function ConnectorPage({ params: { uid } }: PageProps) {
  const isImport = useAddress().query.get('kind') === 'import'
  return <OneConnector key={`${uid} ${isImport}`} uid={uid} isImport={isImport} />
}

function OneConnector({ uid, isImport }: { readonly uid: string; readonly isImport: boolean }) {
  const { data, error } = useQuery(recordKey('connector', uid), (signal) =>
    getRecord('connector', uid, signal),
  )
  const title =
    uid === 'new'
      ? isImport
        ? 'New import'
        : 'New connector'
      : data?.name || data?.id || 'Connector'
  return (
    <SectionFrame section={CONNECT} title={title} here="/connect">
      {data === undefined && error !== undefined && <Empty text={error.message} />}
      {data !== undefined && (
        <ConnectorEditor saved={isImport && uid === 'new' ? { ...data, ...NEW_IMPORT } : data} />
      )}
    </SectionFrame>
  )
}
