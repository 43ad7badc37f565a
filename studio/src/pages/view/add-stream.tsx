import { useState } from 'react'
import { call } from '../../api/client.ts'
import type { Schema } from '../../api/paths.ts'
import { useQuery } from '../../api/use-query.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Field } from '../../ui/field.tsx'
import styles from './view.module.css'

interface AddStreamProps {
  readonly onAdd: (stream: { readonly componentUid: string; readonly streamUid: string }) => void
  readonly onClose: () => void
}

const SHOWN_MAX = 50

/** Finds a component, then one of its streams. */
export function AddStream({ onAdd, onClose }: AddStreamProps) {
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState<Schema<'Component'>>()
  return (
    <Dialog title="Add a stream" isWide isTop onClose={onClose}>
      {chosen === undefined ? (
        <>
          <Field
            label="Component"
            type="search"
            data-autofocus
            autoComplete="off"
            placeholder="Name or ID"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Components text={text} onChoose={setChosen} />
        </>
      ) : (
        <Streams
          component={chosen}
          onBack={() => setChosen(undefined)}
          onChoose={(streamUid) => onAdd({ componentUid: chosen.uid, streamUid })}
        />
      )}
    </Dialog>
  )
}

interface ComponentsProps {
  readonly text: string
  readonly onChoose: (component: Schema<'Component'>) => void
}

function Components({ text, onChoose }: ComponentsProps) {
  const search = text.trim()
  const { data, error } = useQuery(
    ['component', 'search', search],
    (signal) => {
      const query = { limit: SHOWN_MAX, ...(search === '' ? {} : { search }) }
      return call('get', '/api/component', { query, signal })
    },
    { keepPrevious: true },
  )
  if (error !== undefined) return <Empty text={error.message} />
  if (data === undefined) return null
  const { component: found, totalCount } = data
  if (found.length === 0)
    return <Empty text="No component has these words in its folder, name or ID." />
  return (
    <ul className={styles.choices} aria-label="Components">
      {found.map((component) => (
        <li key={component.uid}>
          <button type="button" className={styles.choice} onClick={() => onChoose(component)}>
            {component.name || component.id}
            <span className={styles.note}>{component.folder}</span>
          </button>
        </li>
      ))}
      {totalCount > found.length && (
        <li className={styles.note}>and {totalCount - found.length} more: type more of the name</li>
      )}
    </ul>
  )
}

interface StreamsProps {
  readonly component: Schema<'Component'>
  readonly onBack: () => void
  readonly onChoose: (streamUid: string) => void
}

function Streams({ component, onBack, onChoose }: StreamsProps) {
  const { data, error } = useQuery(['component', component.uid], (signal) =>
    call('get', '/api/component/{uid}', { path: { uid: component.uid }, signal }),
  )
  const streams = data?.component.stream ?? []
  return (
    <>
      <p>
        <button type="button" className={styles.back} onClick={onBack}>
          Components
        </button>{' '}
        / {component.name || component.id}
      </p>
      {error !== undefined && <Empty text={error.message} />}
      {data !== undefined && streams.length === 0 && <Empty text="It has no streams." />}
      <ul className={styles.choices} aria-label="Streams">
        {streams.map(({ uid, name, id, valueType }) => (
          <li key={uid}>
            <button type="button" className={styles.choice} onClick={() => onChoose(uid)}>
              {name || id || 'without a name'}
              <span className={styles.note}>{valueType.toLowerCase()}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}
