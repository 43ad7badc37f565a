import { useCallback, useSyncExternalStore } from 'react'
import { usePerson } from '../../api/session.ts'
import { Age } from '../../ui/time/age.tsx'
import styles from './query.module.css'

/** Texts that were run, the latest first; it is deleted when the person signs out. */
const PREFIX = 'weir.runs.'
const RUNS_MAX = 50
/** Longer texts would fill the storage of the browser. */
const LENGTH_MAX = 10_000
const SHOWN_LENGTH = 80

interface PastRun {
  readonly sql: string
  readonly at: number
}

const listeners = new Set<() => void>()
/** What was read last: the same text gives the same list. */
let known: { readonly text: string; readonly runs: readonly PastRun[] } = { text: '', runs: [] }

function readRuns(place: string): readonly PastRun[] {
  const text = localStorage.getItem(place) ?? ''
  if (known.text !== text) known = { text, runs: parseRuns(text) }
  return known.runs
}

function parseRuns(text: string): readonly PastRun[] {
  try {
    const runs: unknown = JSON.parse(text)
    return Array.isArray(runs) ? runs.filter(isRun) : []
  } catch {
    return []
  }
}

function isRun(run: unknown): run is PastRun {
  const { sql, at } = (run ?? {}) as Partial<PastRun>
  return typeof sql === 'string' && typeof at === 'number'
}

function usePlace(): string {
  const { orgUid, userUid } = usePerson()
  return `${PREFIX}${orgUid}/${userUid}`
}

/** Notes a text that is run; one that was run before moves to the top. */
export function useNoteRun(): (sql: string) => void {
  const place = usePlace()
  return useCallback(
    (sql) => {
      if (sql.length > LENGTH_MAX) return
      const others = readRuns(place).filter((run) => run.sql !== sql)
      try {
        localStorage.setItem(
          place,
          JSON.stringify([{ sql, at: Date.now() }, ...others].slice(0, RUNS_MAX)),
        )
      } catch {
        // A full storage: the run goes on without being noted.
      }
      for (const listener of listeners) listener()
    },
    [place],
  )
}

/** The texts that this person has run in this browser. */
export function RunHistory({ onChoose }: { readonly onChoose: (sql: string) => void }) {
  const place = usePlace()
  const runs = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => readRuns(place),
  )
  return (
    <section aria-labelledby="run-history">
      <h2 id="run-history" className={styles.heading}>
        History
      </h2>
      {runs.length === 0 && <p className={styles.soft}>No runs yet.</p>}
      <ul className={styles.saved}>
        {runs.map(({ sql, at }) => (
          <li key={sql}>
            <button type="button" className={styles.past} title={sql} onClick={() => onChoose(sql)}>
              <span className={styles.savedName}>{sql.trim().slice(0, SHOWN_LENGTH)}</span>
              <span className={styles.soft}>
                <Age time={at} />
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
