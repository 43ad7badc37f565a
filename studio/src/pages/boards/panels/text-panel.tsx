import type { Panel } from '../board-types.ts'
import styles from './panels.module.css'

/** Text by the author of the board. */
export function TextPanel({ panel }: { readonly panel: Panel }) {
  return <p className={styles.words}>{panel.text || 'No text.'}</p>
}
