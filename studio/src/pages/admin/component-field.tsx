import { useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { call } from '../../api/client.ts'
import { useQuery } from '../../api/use-query.ts'
import { Field } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import { useQuiet } from '../../ui/use-quiet.ts'
import { type Capability, rightOf } from './capability-words.ts'
import styles from './section.module.css'

/** Stands for the component of a right until one is chosen. */
export const UNCHOSEN = 'a component to be chosen'

/** Components that are shown at once; more words find the others. */
const SHOWN = 8
/** Components that are called by their names; others by their UIDs. */
const NAMES_MAX = 50

/** How the components that rights are about are called. */
export function useComponentNames(
  capabilities: readonly Capability[],
): (componentUid: string) => string {
  const named = new Set(capabilities.map((one) => rightOf(one).component))
  const uids = [...named].filter((uid) => uid !== '*' && uid !== UNCHOSEN).slice(0, NAMES_MAX)
  const { data = [] } = useQuery(
    ['component', 'names', ...uids],
    (signal) => Promise.all(uids.map((uid) => nameOf(uid, signal))),
    { isOff: uids.length === 0, keepPrevious: true },
  )
  const names = new Map(data)
  return (uid) => names.get(uid) ?? uid
}

async function nameOf(uid: string, signal: AbortSignal): Promise<readonly [string, string]> {
  try {
    const { component } = await call('get', '/api/component/{uid}', { path: { uid }, signal })
    return [uid, component.name || component.id || uid]
  } catch (thrown) {
    // One that is deleted, or not to be seen, has its UID alone.
    if ([400, 403, 404].includes(asApiError(thrown).status)) return [uid, uid]
    throw thrown
  }
}

interface ComponentFieldProps {
  /** Which right it belongs to. */
  readonly number: number
  /** `*`, a UID, or `UNCHOSEN`. */
  readonly component: string
  readonly name: string
  onChoose(component: string): void
}

/** The component that a right is about: every one, or one that is searched for. */
export function ComponentField({ number, component, name, onChoose }: ComponentFieldProps) {
  const isChosen = component !== '*' && component !== UNCHOSEN
  return (
    <>
      <Select
        label={`Component of right ${number}`}
        isLabelHidden
        value={component}
        choices={[
          { value: '*', label: 'of every component' },
          ...(isChosen ? [{ value: component, label: `of ${name}`.slice(0, 80) }] : []),
          { value: UNCHOSEN, label: isChosen ? 'of another component …' : 'of one component …' },
        ]}
        onChoose={onChoose}
      />
      {component === UNCHOSEN && <ComponentSearch number={number} onChoose={onChoose} />}
    </>
  )
}

function ComponentSearch({ number, onChoose }: Pick<ComponentFieldProps, 'number' | 'onChoose'>) {
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
        label={`Find the component of right ${number}`}
        type="search"
        value={typed}
        placeholder="Name, ID or folder"
        autoComplete="off"
        error={error?.message}
        hint={
          rest > 0 ? `${rest.toLocaleString()} more: type words of the one you mean` : undefined
        }
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          // Enter is for the search here, not for the form around it.
          if (event.key !== 'Enter') return
          event.preventDefault()
          if (found.length === 1 && search === typed.trim()) onChoose(found[0].uid)
        }}
      />
      <ul className={styles.found} aria-label="Components">
        {found.map(({ uid, id, name, folder }) => (
          <li key={uid}>
            <button type="button" className={styles.choice} onClick={() => onChoose(uid)}>
              <span>{name || id || uid}</span>
              <span className={styles.soft}>{[id, folder].filter(Boolean).join(' · ')}</span>
            </button>
          </li>
        ))}
      </ul>
      {data !== undefined && found.length === 0 && (
        <p className={styles.soft}>No component has these words.</p>
      )}
    </div>
  )
}
