import { below } from '../api/base-path.ts'
import { useRole } from '../api/session.ts'
import { Dialog } from '../ui/dialog.tsx'
import { guideOf } from './guides.ts'
import styles from './help-dialog.module.css'
import { Link } from './link.tsx'
import { usePlace } from './place.ts'

const KEYS: readonly (readonly [keys: string, act: string])[] = [
  ['Ctrl K, ⌘ K', 'Find pages, devices, streams, and boards'],
  ['?', 'Show this help'],
  ['Escape', 'Close a dialog; in a chart, return to the first range'],
  ['Ctrl Enter', 'Run the query'],
]

const CHART_GESTURES: readonly (readonly [gesture: string, act: string])[] = [
  ['Drag', 'Zoom into a range'],
  ['Shift and drag, two fingers', 'Move the range'],
  ['Wheel over the time axis', 'Zoom at the pointer'],
  ['Double click', 'Go back one zoom'],
  ['← and →', 'Move by a tenth of the range'],
  ['+ and -', 'Zoom'],
  ['N, L', 'Go to now; turn live on or off'],
  ['Click on a name in the legend', 'Hide or show a stream'],
]

/** Shortcuts, gestures, and the ways to the guides. */
export function HelpDialog({ onClose }: { readonly onClose: () => void }) {
  const { path } = usePlace()
  const isGuest = useRole() === 'GUEST'
  const guide = guideOf(path)
  return (
    <Dialog title="Help" onClose={onClose} isWide>
      <ul className={styles.links}>
        <li>
          <a href={below(guide.address)} target="_blank" rel="noreferrer">
            Guide to this page: {guide.label}
          </a>
        </li>
        <li>
          <a href={below('/help')} target="_blank" rel="noreferrer">
            Documentation
          </a>
        </li>
        <li>
          <a href={below('/docs')} target="_blank" rel="noreferrer">
            API reference
          </a>
        </li>
        {!isGuest && (
          <li>
            <Link to="/connect/send" onClick={onClose}>
              Getting started: send samples
            </Link>
          </li>
        )}
      </ul>
      <Pairs title="Shortcuts" pairs={KEYS} />
      <Pairs title="In a chart" pairs={CHART_GESTURES} />
    </Dialog>
  )
}

interface PairsProps {
  readonly title: string
  readonly pairs: readonly (readonly [name: string, act: string])[]
}

function Pairs({ title, pairs }: PairsProps) {
  return (
    <section aria-label={title}>
      <h3 className={styles.title}>{title}</h3>
      <dl className={styles.pairs}>
        {pairs.map(([name, act]) => (
          <div key={name}>
            <dt>
              <kbd>{name}</kbd>
            </dt>
            <dd>{act}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
