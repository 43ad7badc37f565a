/** What a person has typed and not saved: it outlives its page, a reload and an ended session. */
import { useCallback, useState } from 'react'
import { usePerson } from '../api/session.ts'

/** Longer drafts are kept in memory only: a tab's storage has five megabytes in all. */
const KEPT_LENGTH_MAX = 500_000
const PREFIX = 'weir.draft.'

/** Changes that are not saved, and the revision of the record that they were made on. */
interface Kept<T> {
  readonly changes: Partial<T>
  readonly revision: number | undefined
}

const inMemory = new Map<string, Kept<unknown>>()

/** A form's fields as the person sees them. */
export interface Draft<T> {
  readonly value: T
  readonly changes: Partial<T>
  readonly isChanged: boolean
  /** The revision that the first change was made on. */
  readonly revision: number | undefined
  set(changes: Partial<T>): void
  /** Forgets the changes. */
  discard(): void
  /** Keeps the changes as if they were made on the newest revision. */
  rebase(revision: number): void
}

/**
 * The draft of a record: its saved fields with the changes over them. Changes are kept by `key` for the person
 * and organization that made them; a component that shows another record needs another React key.
 */
export function useDraft<T extends { readonly revision?: number }>(
  key: string,
  saved: T,
): Draft<T> {
  const { orgUid, userUid } = usePerson()
  const place = `${PREFIX}${orgUid}/${userUid}/${key}`
  const [kept, setKept] = useState<Kept<T> | undefined>(() => readKept<T>(place))
  const put = useCallback(
    (next: Kept<T> | undefined) => {
      writeKept(place, next)
      setKept(next)
    },
    [place],
  )
  const changes = kept?.changes ?? {}
  return {
    value: { ...saved, ...changes },
    changes,
    isChanged: kept !== undefined,
    revision: kept?.revision ?? saved.revision,
    set: (more) => {
      // What was put in the meantime, by another handler of the same event, counts.
      const before = readKept<T>(place)
      const revision = before?.revision ?? saved.revision
      put({ changes: { ...before?.changes, ...more }, revision })
    },
    discard: () => put(undefined),
    rebase: (revision) => put({ changes, revision }),
  }
}

function readKept<T>(place: string): Kept<T> | undefined {
  const known = inMemory.get(place)
  if (known !== undefined) return known as Kept<T>
  try {
    const text = sessionStorage.getItem(place)
    return text === null ? undefined : (JSON.parse(text) as Kept<T>)
  } catch {
    return undefined
  }
}

function writeKept(place: string, next: Kept<unknown> | undefined): void {
  if (next === undefined) {
    inMemory.delete(place)
    sessionStorage.removeItem(place)
    return
  }
  inMemory.set(place, next)
  const text = JSON.stringify(next)
  try {
    if (text.length <= KEPT_LENGTH_MAX) sessionStorage.setItem(place, text)
  } catch {
    // A full storage: the draft is in memory.
  }
}
