import { useEffect } from 'react'
import { lookAgain, useIsLost } from '../api/connection.ts'
import styles from './lost-line.module.css'

/** One quiet line at the top while the service cannot be reached. */
export function LostLine() {
  const isLost = useIsLost()
  useEffect(() => {
    // What is as high as the window leaves room for the line.
    document.documentElement.toggleAttribute('data-lost', isLost)
    if (!isLost) return undefined
    // A browser that has its network back need not wait for the next look.
    const look = () => void lookAgain()
    window.addEventListener('online', look)
    return () => window.removeEventListener('online', look)
  }, [isLost])
  return (
    <div role="status">
      {isLost && (
        <div className={styles.line}>
          <span>Cannot reach the service. Data may be out of date. Reconnecting …</span>
          <button type="button" className={styles.again} onClick={() => void lookAgain()}>
            Retry
          </button>
        </div>
      )}
    </div>
  )
}
