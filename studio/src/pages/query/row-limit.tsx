import { useAddress } from '../../app/place.ts'
import { Select } from '../../ui/select.tsx'
import { ROWS_ALL, ROWS_USUAL } from './gql-answer.ts'
import styles from './query.module.css'

const CHOICES: ReadonlyArray<readonly [rows: number, label: string]> = [
  [100, 'First 100 rows'],
  [ROWS_USUAL, 'First 1,000 rows'],
  [10_000, 'First 10,000 rows'],
  [ROWS_ALL, 'All rows'],
]

/** The most rows that the address asks for. */
export function rowsIn(query: URLSearchParams): number {
  const asked = query.get('rows') ?? ''
  if (asked === 'all') return ROWS_ALL
  return CHOICES.find(([rows]) => String(rows) === asked)?.[0] ?? ROWS_USUAL
}

interface RowLimitProps {
  readonly rowsMax: number
  readonly onChange: (rowsMax: number) => void
}

/** Chooses how many rows a run returns at most. */
export function RowLimit({ rowsMax, onChange }: RowLimitProps) {
  const { change } = useAddress()
  return (
    <div className={styles.limit}>
      <Select
        label="Row limit"
        isLabelHidden
        value={String(rowsMax)}
        choices={CHOICES.map(([rows, label]) => ({ value: String(rows), label }))}
        onChoose={(chosen) => {
          const rows = Number(chosen)
          change({ rows: rows === ROWS_USUAL ? undefined : rows === ROWS_ALL ? 'all' : chosen })
          onChange(rows)
        }}
      />
    </div>
  )
}
