/** Whether the service can be reached: lost when a call finds nobody, found again by asking /healthz. */
import { useSyncExternalStore } from 'react'
import { below } from './base-path.ts'

const FIRST_LOOK_MS = 1_000
const LAST_LOOK_MS = 15_000

const listeners = new Set<() => void>()
const foundListeners = new Set<() => void>()
let isLost = false
let waitMs = FIRST_LOOK_MS
let timer: ReturnType<typeof setTimeout> | undefined

function set(next: boolean): void {
  if (isLost === next) return
  isLost = next
  for (const listener of listeners) listener()
  if (!next) for (const listener of foundListeners) listener()
}

/** Notes that a call reached nobody. */
export function noteLost(): void {
  if (isLost) return
  waitMs = FIRST_LOOK_MS
  set(true)
  timer = setTimeout(lookAgain, waitMs)
}

/** Notes that somebody answered. */
export function noteFound(): void {
  clearTimeout(timer)
  set(false)
}

/** Looks at once whether the service is back. */
export async function lookAgain(): Promise<void> {
  clearTimeout(timer)
  try {
    await fetch(below('/healthz'), { cache: 'no-store' })
    noteFound()
  } catch {
    waitMs = Math.min(waitMs * 2, LAST_LOOK_MS)
    timer = setTimeout(lookAgain, waitMs)
  }
}

/** Calls back whenever the service was lost and is found; answers how to stop. */
export function onFound(listener: () => void): () => void {
  foundListeners.add(listener)
  return () => foundListeners.delete(listener)
}

/** Whether the service cannot be reached. */
export function useIsLost(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => isLost,
  )
}
