import styles from './breadcrumbs.module.css'
import { Link } from './link.tsx'

/** A page above the one that is shown. */
export interface Crumb {
  readonly to: string
  readonly label: string
}

/** The way up from a record, above its heading. */
export function Breadcrumbs({ of }: { readonly of: readonly Crumb[] }) {
  return (
    <nav aria-label="Breadcrumbs">
      <ol className={styles.crumbs}>
        {of.map(({ to, label }) => (
          <li key={to} className={styles.crumb}>
            <Link to={to}>{label}</Link>
          </li>
        ))}
      </ol>
    </nav>
  )
}
