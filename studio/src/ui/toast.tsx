import { useSyncExternalStore } from 'react'
import styles from './toast.module.css'

const SHOWN_MS = 5_000

interface Toast {
  readonly id: number
  readonly text: string
}

const listeners = new Set<() => void>()
let current: Toast | undefined
let timer: ReturnType<typeof setTimeout> | undefined

function set(next: Toast | undefined): void {
  current = next
  for (const listener of listeners) listener()
}

/** Shows a toast. The next one replaces it. */
export function showToast(text: string): void {
  clearTimeout(timer)
  set({ id: (current?.id ?? 0) + 1, text })
  timer = setTimeout(() => set(undefined), SHOWN_MS)
}

/** Where such lines are shown; once in the page. */
export function ToastPlace() {
  const toast = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => current,
  )
  return (
    <div className={styles.place} role="status">
      {toast !== undefined && (
        <div key={toast.id} className={styles.toast}>
          {toast.text}
        </div>
      )}
    </div>
  )
}
