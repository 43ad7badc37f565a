import { useAddress } from '../../app/place.ts'
import { RangeField } from '../boards/range-field.tsx'
import { rangeAt, type TimeRange } from '../boards/ranges.ts'
import styles from './query.module.css'

const VARIABLES = /@(?:from|until)\b/i
const RANGE = 'last-24h'

/** Whether a text asks for the range of time that somebody looks at. */
export function usesRange(sql: string): boolean {
  return VARIABLES.test(sql)
}

/** The range that a text is run with, chosen on the page and kept in the address; undefined for texts that ask for none. */
export function useQueryRange(zone: string) {
  const { query } = useAddress()
  const word = query.get('range') || RANGE
  const rangeOf = (sql: string, chosen = word): TimeRange | undefined =>
    usesRange(sql) ? rangeAt(chosen, zone, Date.now()) : undefined
  return { word, rangeOf }
}

interface QueryRangeProps {
  readonly sql: string
  readonly word: string
  readonly onChange: (word: string) => void
}

/** What @FROM and @UNTIL are on this page, where a text asks for them. */
export function QueryRangeField({ sql, word, onChange }: QueryRangeProps) {
  const { change } = useAddress()
  if (!usesRange(sql)) return null
  return (
    <div className={styles.range}>
      <RangeField
        label="@FROM and @UNTIL"
        value={word}
        onChange={(next) => {
          change({ range: next === RANGE ? undefined : next })
          onChange(next)
        }}
      />
    </div>
  )
}
