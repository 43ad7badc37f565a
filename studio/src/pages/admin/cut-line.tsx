import styles from './section.module.css'

/** Says that a list has more than is shown; nothing where all of it is. */
export function CutLine({ shown, total }: { readonly shown: number; readonly total: number }) {
  if (shown >= total) return null
  return (
    <p className={styles.soft}>
      Showing the first {shown.toLocaleString()} of {total.toLocaleString()}.
    </p>
  )
}
