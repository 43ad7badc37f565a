import { useState } from 'react'
import { call } from '../api/client.ts'
import type { Schema } from '../api/paths.ts'
import { useQuery } from '../api/use-query.ts'
import { Field } from '../ui/field.tsx'
import { useQuiet } from '../ui/use-quiet.ts'
import styles from './component-search.module.css'

/** Components that are shown at once; more words find the others. */
const SHOWN = 8

interface ComponentSearchProps {
  readonly label: string
  /** Whether typing goes here when a dialog opens. */
  readonly isFocused?: boolean
  readonly onChoose: (component: Schema<'Component'>) => void
}

/** Finds a component by words of its folder, name or ID, among however many. */
export function ComponentSearch({ label, isFocused, onChoose }: ComponentSearchProps) {
  const [typed, setTyped] = useState('')
  const search = useQuiet(typed.trim())
  const { data, error } = useQuery(
    ['component', 'search', search, SHOWN],
    (signal) =>
      call('get', '/api/component', {
        query: { limit: SHOWN, ...(search === '' ? {} : { search }) },
        signal,
      }),
    { keepPrevious: true },
  )
  const found = data?.component ?? []
  const rest = (data?.totalCount ?? 0) - found.length
  return (
    <div className={styles.search}>
      <Field
        label={label}
        type="search"
        data-autofocus={isFocused}
        value={typed}
        placeholder="Name, ID or folder"
        autoComplete="off"
        error={error?.message}
        hint={
          rest > 0 ? `${rest.toLocaleString()} more: type words of the one you mean` : undefined
        }
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          // Enter is for the search here, not for a form around it.
          if (event.key !== 'Enter') return
          event.preventDefault()
          if (found.length === 1 && search === typed.trim()) onChoose(found[0])
        }}
      />
      <ul className={styles.found} aria-label="Components">
        {found.map((component) => (
          <li key={component.uid}>
            <button type="button" className={styles.choice} onClick={() => onChoose(component)}>
              <span className={styles.name}>{component.name || component.id || component.uid}</span>
              <span className={styles.note}>
                {[component.id, component.folder].filter(Boolean).join(' · ')}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {data !== undefined && found.length === 0 && (
        <p className={styles.note}>No component has these words.</p>
      )}
    </div>
  )
}
