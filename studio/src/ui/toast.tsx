import { useSyncExternalStore } from 'react'
import styles from './toast.module.css'

const SHOWN_MS = 5_000
/** A button needs time to reach. */
const SHOWN_WITH_BUTTON_MS = 15_000

/** The button of a toast. A click also hides the toast. */
interface ToastAct {
  readonly label: string
  readonly onClick: () => void
}

interface Toast {
  readonly id: number
  readonly text: string
  readonly act: ToastAct | undefined
}

const listeners = new Set<() => void>()
let current: Toast | undefined
let timer: ReturnType<typeof setTimeout> | undefined

function set(next: Toast | undefined): void {
  current = next
  for (const listener of listeners) listener()
}

/** Shows a toast. The next one replaces it. */
export function showToast(text: string, act?: ToastAct): void {
  clearTimeout(timer)
  set({ id: (current?.id ?? 0) + 1, text, act })
  timer = setTimeout(() => set(undefined), act === undefined ? SHOWN_MS : SHOWN_WITH_BUTTON_MS)
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
          {toast.act !== undefined && <ActButton {...toast.act} />}
        </div>
      )}
    </div>
  )
}

function ActButton({ label, onClick }: ToastAct) {
  return (
    <button
      type="button"
      className={styles.act}
      onClick={() => {
        set(undefined)
        onClick()
      }}
    >
      {label}
    </button>
  )
}
