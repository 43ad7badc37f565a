import styles from './connect.module.css'

/** Messages up to this number of characters fit in their three lines. */
const SHORT = 60

/** Why a run failed: three lines of it, and all of it at a click, a touch or a key. */
export function Failure({ message }: { readonly message: string }) {
  const text = `Failed: ${message}`
  if (text.length <= SHORT) return <span className={styles.failed}>{text}</span>
  return (
    <details className={styles.failed}>
      <summary className={styles.message}>{text}</summary>
    </details>
  )
}
