import { useState } from 'react'
import { call } from '../api/client.ts'
import type { Schema } from '../api/paths.ts'
import { useQuery } from '../api/use-query.ts'
import { Field } from '../ui/field.tsx'
import { useQuiet } from '../ui/use-quiet.ts'
import styles from './component-search.module.css'
import { streamsNamed } from './find-streams.ts'
import { wordsOf } from './match-words.ts'
import type { StreamName } from './stream-name.ts'

/** Components, and streams, that are shown at once; more words find the others. */
const SHOWN = 8
/** Components whose streams are shown with them. */
const OPENED_MAX = 3

type Component = Schema<'Component'>

interface ComponentSearchProps {
  readonly label: string
  /** Whether typing goes here when a dialog opens. */
  readonly isFocused?: boolean
  readonly onChoose: (component: Component) => void
  /** Where given, streams are found too, by their own words or together with those of their component. */
  readonly onStream?: (stream: StreamName) => void
}

/** Finds a component by words of its folder, name or ID, among however many; on demand its streams, too. */
export function ComponentSearch({ label, isFocused, onChoose, onStream }: ComponentSearchProps) {
  const [typed, setTyped] = useState('')
  const search = useQuiet(typed.trim())
  const { data, error } = useQuery(
    ['component', 'search', search, SHOWN],
    async (signal) => {
      const query = { limit: SHOWN, ...(search === '' ? {} : { search }) }
      return { search, ...(await call('get', '/api/component', { query, signal })) }
    },
    { keepPrevious: true },
  )
  const found = data?.component ?? []
  const rest = (data?.totalCount ?? 0) - found.length
  const isAnswered = data?.search === search
  const named = useNamed(search, isAnswered ? found : undefined, onStream === undefined)
  const streams = named?.streams ?? []
  const isSearched = onStream === undefined || search === '' || named !== undefined
  const isNothing = isAnswered && isSearched && found.length + streams.length === 0
  return (
    <div className={styles.search}>
      <Field
        label={label}
        type="search"
        data-autofocus={isFocused}
        value={typed}
        placeholder={
          onStream === undefined ? 'Name, ID, or folder' : 'Component, stream, or label=value'
        }
        autoComplete="off"
        error={error?.message}
        hint={
          rest > 0
            ? `${rest.toLocaleString()} more. Type more words to narrow the search.`
            : undefined
        }
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          // Enter is for the search here, not for a form around it.
          if (event.key !== 'Enter') return
          event.preventDefault()
          if (!isAnswered || search !== typed.trim()) return
          if (found.length === 1) onChoose(found[0])
          else if (found.length === 0 && streams.length === 1) onStream?.(streams[0])
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
      {onStream !== undefined && <FoundStreams streams={streams} onStream={onStream} />}
      {isNothing && (
        <p className={styles.note} role="status">
          No {onStream === undefined ? 'component' : 'component or stream'} matches these words.
        </p>
      )}
      {named?.isPart === true && (
        <p className={styles.note}>
          Streams of some components were not searched. Add a word of the component’s name.
        </p>
      )}
    </div>
  )
}

interface FoundStreamsProps {
  readonly streams: readonly StreamName[]
  readonly onStream: (stream: StreamName) => void
}

function FoundStreams({ streams, onStream }: FoundStreamsProps) {
  if (streams.length === 0) return null
  return (
    <>
      <p className={styles.head}>Streams</p>
      <ul className={styles.found} aria-label="Streams found">
        {streams.slice(0, SHOWN).map((stream) => {
          const { component, uid, name, id } = stream
          return (
            <li key={uid}>
              <button type="button" className={styles.choice} onClick={() => onStream(stream)}>
                <span className={styles.name}>{name || id || uid}</span>
                <span className={styles.note}>
                  {component.name || component.id || component.uid}
                </span>
              </button>
            </li>
          )
        })}
      </ul>
    </>
  )
}

/** Streams that words name; `components` are those that have all of them, undefined until they are known. */
function useNamed(search: string, components: readonly Component[] | undefined, isOff: boolean) {
  const opened = components?.slice(0, OPENED_MAX)
  const words = wordsOf(search)
  const isNone = isOff || opened === undefined || words.length === 0
  const { data } = useQuery(
    ['stream', 'named', search, ...(opened ?? []).map(({ uid }) => uid)],
    (signal) => streamsNamed(words, opened ?? [], signal),
    { isOff: isNone },
  )
  return isNone ? undefined : data
}
