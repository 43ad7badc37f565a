import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import styles from './pair-list.module.css'

/** Pairs that are shown, and characters of each, before all of them are asked for. */
const SHOWN = 8
const SHORT = 40

interface PairListProps {
  /** What the pairs are, for screen readers. */
  readonly label: string
  readonly pairs: Readonly<Record<string, string>>
  /** Draws a pair around its text, such as a link. */
  readonly draw?: (text: ReactNode, name: string, value: string) => ReactNode
}

/** Names with their values; many or long ones are cut until somebody wants to see them. */
export function PairList({ label, pairs, draw = (text) => text }: PairListProps) {
  const [isOpen, setIsOpen] = useState(false)
  const all = Object.entries(pairs).sort(([a], [b]) => (a < b ? -1 : 1))
  const isCut = all.length > SHOWN || all.some(([a, b]) => a.length + b.length > SHORT)
  return (
    <ul className={styles.pairs} aria-label={label} data-open={isOpen || undefined}>
      {all.slice(0, isOpen ? all.length : SHOWN).map(([name, value]) => (
        <li key={name} className={styles.pair}>
          {draw(
            <>
              <bdi className={styles.name}>{name}</bdi>
              {' = '}
              <bdi>{value}</bdi>
            </>,
            name,
            value,
          )}
        </li>
      ))}
      {isCut && (
        <li>
          <Button
            kind="plain"
            className={styles.more}
            aria-expanded={isOpen}
            onClick={() => setIsOpen(!isOpen)}
          >
            {isOpen ? 'Show less' : `Show all (${all.length})`}
          </Button>
        </li>
      )}
    </ul>
  )
}
