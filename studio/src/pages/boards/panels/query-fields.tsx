import { listRecords, recordKey } from '../../../api/records.ts'
import { useQuery } from '../../../api/use-query.ts'
import { missingOf } from '../../../ui/missing.tsx'
import { Select } from '../../../ui/select.tsx'
import styles from '../board.module.css'
import type { Panel } from '../board-types.ts'

type PanelQuery = NonNullable<Panel['query']>

interface QueryFieldsProps {
  readonly query: Panel['query']
  readonly errorOf: (field: string) => string | undefined
  readonly onChange: (query: PanelQuery) => void
}

const READ_MAX = 1_000

/** Which saved query a panel shows, and how. */
export function QueryFields({ query, errorOf, onChange }: QueryFieldsProps) {
  const { uid = '', view = 'table' } = query ?? {}
  const found = useQuery(recordKey('query', 'all'), (signal) =>
    listRecords('query', { limit: String(READ_MAX) }, signal),
  )
  const rows = found.data?.rows ?? []
  const isKnown = uid === '' || rows.some((one) => one.uid === uid)
  return (
    <div className={styles.side}>
      <Select
        label="Query"
        value={uid}
        error={errorOf('query.uid')}
        hint={missingOf('queries', found) ?? 'A query saved on the Query page'}
        choices={[
          { value: '', label: 'Choose' },
          ...(isKnown ? [] : [{ value: uid, label: 'Keep current' }]),
          ...rows.map((one) => ({
            value: one.uid,
            label: (one.name || one.id || 'Unnamed').slice(0, 80),
          })),
        ]}
        onChoose={(chosen) => onChange({ uid: chosen, view })}
      />
      <Select
        label="Show as"
        value={view}
        choices={[
          { value: 'table', label: 'Table' },
          { value: 'chart', label: 'Chart' },
        ]}
        onChoose={(chosen) => onChange({ uid, view: chosen === 'chart' ? 'chart' : 'table' })}
      />
    </div>
  )
}
