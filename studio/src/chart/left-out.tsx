import styles from './chart.module.css'
import type { Plot } from './chart-series.ts'

/** Says that a range has more periods than a chart shows; nothing where it has not. */
export function LeftOut({ plots }: { readonly plots: ReadonlyArray<Plot | undefined> }) {
  const cut = plots.find((plot) => plot?.more === true)
  if (cut === undefined) return null
  const count = (cut.start?.length ?? 0).toLocaleString('en')
  return (
    <p className={styles.shared} role="note">
      Only the latest {count} periods of this range are shown. Choose a longer cycle or zoom in.
    </p>
  )
}
