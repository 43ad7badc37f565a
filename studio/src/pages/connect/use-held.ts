import { useEffect, useState } from 'react'

interface HeldOptions<T> {
  /** Another list is shown at once. */
  readonly id: string | number
  /** Differs where the list does. */
  readonly markOf: (list: T) => string
  /** Whether somebody reads in the list. */
  readonly isRead: () => boolean
}

/** A list that refreshes by itself, and stands still while somebody reads in it. */
export function useHeld<T>(latest: T | undefined, { id, markOf, isRead }: HeldOptions<T>) {
  const [held, setHeld] = useState<{ readonly id: string | number; readonly list: T }>()
  const shown = held?.id === id ? held.list : latest
  const release = () => latest !== undefined && setHeld({ id, list: latest })
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer is taken or left once.
  useEffect(() => {
    if (held?.id !== id || !isRead()) release()
  }, [latest, id])
  const isBehind = shown !== undefined && latest !== undefined && markOf(shown) !== markOf(latest)
  return { shown, isBehind, release }
}
