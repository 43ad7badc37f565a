import { Button } from '../ui/button.tsx'
import styles from './chart.module.css'

/** What an empty chart says, and the way to the latest sample where there is one. */
export interface EmptyChart {
  readonly text: string
  readonly onLatest?: () => void
}

/** Lies over a chart in which nothing is drawn. */
export function EmptyNote({ text, onLatest }: EmptyChart) {
  return (
    <div className={styles.empty} role="status">
      <p>{text}</p>
      {onLatest !== undefined && <Button onClick={onLatest}>Show latest sample</Button>}
    </div>
  )
}
