import { useState } from 'react'
import { call } from '../../api/client.ts'
import type { Schema } from '../../api/paths.ts'
import { useQuery } from '../../api/use-query.ts'
import { ComponentSearch } from '../../app/component-search.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Empty } from '../../ui/empty.tsx'
import styles from './view.module.css'

interface AddStreamProps {
  readonly onAdd: (stream: { readonly componentUid: string; readonly streamUid: string }) => void
  readonly onClose: () => void
}

/** Finds a stream by words of it and its component, or a component and then one of its streams. */
export function AddStream({ onAdd, onClose }: AddStreamProps) {
  const [chosen, setChosen] = useState<Schema<'Component'>>()
  return (
    <Dialog title="Add stream" isWide isTop onClose={onClose}>
      {chosen === undefined ? (
        <ComponentSearch
          label="Component or stream"
          isFocused
          onChoose={setChosen}
          onStream={({ component, uid }) => onAdd({ componentUid: component.uid, streamUid: uid })}
        />
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
        / {component.name || component.id || 'Unnamed'}
      </p>
      {error !== undefined && <Empty text={error.message} />}
      {data !== undefined && streams.length === 0 && <Empty text="No streams." />}
      <ul className={styles.choices} aria-label="Streams">
        {streams.map(({ uid, name, id, valueType }) => (
          <li key={uid}>
            <button type="button" className={styles.choice} onClick={() => onChoose(uid)}>
              {name || id || 'Unnamed'}
              <span className={styles.note}>{valueType.toLowerCase()}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}
