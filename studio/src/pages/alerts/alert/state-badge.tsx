import { classes } from '../../../ui/classes.ts'
import styles from './alert.module.css'
import type { Alert } from './alert-words.ts'

/** The state of an alert, in words and in color. */
export function StateBadge(props: { readonly state: Alert['state']; readonly text: string }) {
  const { state, text } = props
  const looks = { OK: styles.ok, PENDING: styles.pending, FIRING: styles.firing }
  return <span className={classes(styles.badge, looks[state])}>{text}</span>
}
