import { useState } from 'react'
import { call } from '../../api/client.ts'
import type { Schema } from '../../api/paths.ts'
import { useQuery } from '../../api/use-query.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import { useQuiet } from '../../ui/use-quiet.ts'
import styles from './board.module.css'
import type { PanelStream } from './board-types.ts'

type Component = Schema<'Component'>

/** Components that are shown at once; more words find the others. */
const SHOWN = 8
/** Streams of one component that are offered. */
const STREAMS_MAX = 1_000

interface StreamPickerProps {
  readonly onPick: (stream: PanelStream) => void
  readonly label?: string
}

/** Chooses a stream: a component by words of its folder, name or ID, then one of its streams. */
export function StreamPicker({
  onPick,
  label = 'Add a stream of the component',
}: StreamPickerProps) {
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState<Component>()
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
  if (chosen !== undefined) {
    return (
      <Streams
        component={chosen}
        onBack={() => setChosen(undefined)}
        onPick={(streamUid) => {
          setChosen(undefined)
          setTyped('')
          onPick({ componentUid: chosen.uid, streamUid })
        }}
      />
    )
  }
  const found = data?.component ?? []
  const rest = (data?.totalCount ?? 0) - found.length
  return (
    <div className={styles.picker}>
      <Field
        label={label}
        type="search"
        value={typed}
        placeholder="Name, ID or folder"
        autoComplete="off"
        error={error?.message}
        hint={
          rest > 0 ? `${rest.toLocaleString()} more: type words of the one you mean` : undefined
        }
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <ul className={styles.found} aria-label="Components">
        {found.map((component) => (
          <li key={component.uid}>
            <button type="button" className={styles.choice} onClick={() => setChosen(component)}>
              <span className={styles.name}>{component.name || component.id}</span>
              <span className={styles.note}>{component.folder}</span>
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

interface StreamsProps {
  readonly component: Component
  readonly onBack: () => void
  readonly onPick: (streamUid: string) => void
}

function Streams({ component, onBack, onPick }: StreamsProps) {
  const { uid, name, id } = component
  const { data, error } = useQuery(['stream', uid, 'offered'], (signal) =>
    call('get', '/api/component/{componentUid}/stream', {
      path: { componentUid: uid },
      query: { limit: STREAMS_MAX },
      signal,
    }),
  )
  const streams = data?.stream ?? []
  return (
    <div className={styles.side}>
      <Select
        label={`Stream of ${(name || id).slice(0, 60)}`}
        value=""
        error={error?.message}
        choices={[
          {
            value: '',
            label: data !== undefined && streams.length === 0 ? 'It has none' : 'Choose',
          },
          ...streams.map((one) => ({ value: one.uid, label: (one.name || one.id).slice(0, 80) })),
        ]}
        onChoose={(streamUid) => {
          if (streamUid !== '') onPick(streamUid)
        }}
      />
      <div className={styles.back}>
        <Button onClick={onBack}>Another component</Button>
      </div>
    </div>
  )
}
