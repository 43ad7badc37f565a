import { lookAgain, useIsLost } from '../api/connection.ts'
import styles from './lost-line.module.css'

/** One quiet line at the top while the service cannot be reached. */
export function LostLine() {
  const isLost = useIsLost()
  return (
    <div role="status">
      {isLost && (
        <div className={styles.line}>
          <span>The service cannot be reached. What you see may be old; looking again …</span>
          <button type="button" className={styles.again} onClick={() => void lookAgain()}>
            Retry
          </button>
        </div>
      )}
    </div>
  )
}
