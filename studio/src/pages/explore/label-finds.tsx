import { useState } from 'react'
import { useQuery } from '../../api/use-query.ts'
import { Link } from '../../app/link.tsx'
import { streamPath } from '../../app/paths.ts'
import { searchLabel } from '../../app/search-label.ts'
import { Button } from '../../ui/button.tsx'
import { useQuiet } from '../../ui/use-quiet.ts'
import styles from './explore.module.css'

const SHOWN = 100

/** The streams that have a label which begins like a text such as `site=no`. */
export function LabelFinds({ label }: { readonly label: string }) {
  const asked = useQuiet(label)
  const [shown, setShown] = useState(SHOWN)
  const { data, error } = useQuery(
    ['stream', 'label', asked, shown],
    (signal) => searchLabel(asked, shown, signal),
    { keepPrevious: true },
  )
  const { streams = [], isPart = false } = data ?? {}
  const find = encodeURIComponent(label)
  return (
    <div className={styles.finds}>
      <p className={styles.count} role="status">
        {error?.message ?? countText(data === undefined ? undefined : streams.length, isPart)}
      </p>
      <ul aria-label="Streams found">
        {streams.map(({ component, uid, id, name }) => {
          const stream = name || id || 'Unnamed'
          const device = component.name || component.id || 'Unnamed'
          return (
            <li key={uid}>
              <Link
                className={styles.find}
                to={`${streamPath(component.uid, uid)}?find=${find}`}
                title={`${stream}\n${device}`}
              >
                <span className={styles.label} dir="auto">
                  {stream}
                </span>
                <span className={styles.place} dir="auto">
                  {device}
                </span>
              </Link>
            </li>
          )
        })}
      </ul>
      {isPart && (
        <Button kind="plain" onClick={() => setShown(shown + SHOWN)}>
          Search more
        </Button>
      )}
    </div>
  )
}

function countText(count: number | undefined, isPart: boolean): string {
  if (count === undefined) return 'Searching …'
  if (count === 0) return isPart ? 'No stream found so far.' : 'No stream has this label.'
  if (isPart) return `The first ${count} streams`
  return count === 1 ? '1 stream' : `${count} streams`
}
