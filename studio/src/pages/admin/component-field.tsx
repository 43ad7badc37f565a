import { asApiError } from '../../api/api-error.ts'
import { call } from '../../api/client.ts'
import { useQuery } from '../../api/use-query.ts'
import { ComponentSearch } from '../../app/component-search.tsx'
import { Select } from '../../ui/select.tsx'
import { type Capability, rightOf } from './capability-words.ts'

/** Stands for the component of a right until one is chosen. */
export const UNCHOSEN = 'a component not yet chosen'

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
        label={`Component of permission ${number}`}
        isLabelHidden
        value={component}
        choices={[
          { value: '*', label: 'of every component' },
          ...(isChosen ? [{ value: component, label: `of ${name}`.slice(0, 80) }] : []),
          { value: UNCHOSEN, label: isChosen ? 'of another component …' : 'of one component …' },
        ]}
        onChoose={onChoose}
      />
      {component === UNCHOSEN && (
        <ComponentSearch
          label={`Find the component of permission ${number}`}
          onChoose={({ uid }) => onChoose(uid)}
        />
      )}
    </>
  )
}
