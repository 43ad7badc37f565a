import { useState } from 'react'
import { listRecords, recordKey } from '../../api/records.ts'
import { useQuery } from '../../api/use-query.ts'
import { Link } from '../../app/link.tsx'
import { Field } from '../../ui/field.tsx'
import styles from './query.module.css'

/** Most queries that are read, and most matches that are shown. */
const READ_MAX = 1_000
const DRAWN_MAX = 100
/** Fewer are seen at a glance. */
const SEARCHED_FROM = 10

/** The queries of the organization; the one that is shown is marked. */
export function SavedList({ shown }: { readonly shown: string }) {
  const [search, setSearch] = useState('')
  const { data, error } = useQuery(recordKey('query', 'all'), (signal) =>
    listRecords('query', { limit: String(READ_MAX) }, signal),
  )
  const rows = data?.rows ?? []
  const word = search.trim().toLowerCase()
  const found = rows.filter(({ name, id }) => `${name} ${id}`.toLowerCase().includes(word))
  const left = found.length - DRAWN_MAX + Math.max(0, (data?.total ?? 0) - rows.length)
  return (
    <section aria-labelledby="saved-queries">
      <h2 id="saved-queries" className={styles.heading}>
        Saved queries
      </h2>
      {error !== undefined && <p className={styles.soft}>{error.message}</p>}
      {data !== undefined && rows.length === 0 && (
        <p className={styles.soft}>
          No saved queries. Saved queries are shared with everyone in the organization.
        </p>
      )}
      {rows.length >= SEARCHED_FROM && (
        <Field
          label="Find query"
          isLabelHidden
          placeholder="Find query"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      <ul className={styles.saved}>
        {shown !== '' && (
          <li>
            <Link to="/query">New query</Link>
          </li>
        )}
        {found.slice(0, DRAWN_MAX).map(({ uid, name, id }) => (
          <li key={uid}>
            <Link to={`/query/${uid}`} title={name || id}>
              <span className={styles.savedName}>{name || id || 'Unnamed'}</span>
            </Link>
          </li>
        ))}
      </ul>
      {left > 0 && <p className={styles.soft}>{left} more. Search to find them.</p>}
    </section>
  )
}
