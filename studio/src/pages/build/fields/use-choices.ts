import type { ReactNode } from 'react'
import { listRecords, recordKey } from '../../../api/records.ts'
import { useQuery } from '../../../api/use-query.ts'
import { missingOf } from '../../../ui/missing.tsx'
import type { Choice } from '../../../ui/select.tsx'
import { shownName } from '../form.ts'

const KIND_WORDS = {
  unit: 'units',
  cycle: 'cycles',
  delete_profile: 'delete profiles',
  component_template: 'templates',
} as const

interface Choices {
  readonly choices: readonly Choice[]
  /** Why there are none. */
  readonly hint: ReactNode
}

interface Row {
  readonly uid: string
  readonly name: string
  readonly id: string
  /** Of a cycle. */
  readonly sizeType?: string
}

/** The records of a kind as choices, with none before them; one that is chosen and not among them stays. */
export function useChoices(
  kind: keyof typeof KIND_WORDS,
  chosen: string,
  none: string,
  isOffered: (row: Row) => boolean = () => true,
): Choices {
  const asked = useQuery(recordKey(kind, 'all'), (signal) =>
    listRecords(kind, { limit: '1000' }, signal),
  )
  const rows: readonly Row[] = asked.data?.rows ?? []
  const known = rows
    .filter(isOffered)
    .map((row) => ({ value: row.uid, label: shownName(row).slice(0, 80) }))
  const isKnown = chosen === '' || known.some(({ value }) => value === chosen)
  const first = { value: '', label: none }
  const kept = isKnown ? [] : [{ value: chosen, label: 'Current choice' }]
  return { choices: [first, ...kept, ...known], hint: missingOf(KIND_WORDS[kind], asked) }
}
