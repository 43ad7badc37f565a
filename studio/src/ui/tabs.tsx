import { type KeyboardEvent, type ReactNode, useEffect, useId } from 'react'
import styles from './tabs.module.css'

/** One of the tabs. */
export interface Tab {
  readonly id: string
  readonly label: string
}

interface TabsProps {
  /** What the tabs are of, for screen readers. */
  readonly label: string
  readonly tabs: readonly Tab[]
  readonly chosen: string
  readonly onChoose: (id: string) => void
  /** What the chosen tab shows. */
  readonly children: ReactNode
}

/** Tabs with their panel; arrow keys move between them. */
export function Tabs({ label, tabs, chosen, onChoose, children }: TabsProps) {
  const base = useId()
  const move = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    const at = tabs.findIndex(({ id }) => id === chosen)
    const ends = { Home: 0, End: tabs.length - 1 }[event.key]
    const next = step === undefined ? ends : (at + step + tabs.length) % tabs.length
    if (next === undefined) return
    event.preventDefault()
    onChoose(tabs[next].id)
    document.getElementById(`${base}-${tabs[next].id}`)?.focus()
  }
  useEffect(() => {
    // Where they do not fit side by side, the chosen one is brought into sight.
    const tab = document.getElementById(`${base}-${chosen}`)
    tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [base, chosen])
  return (
    <>
      <div role="tablist" aria-label={label} className={styles.tabs} onKeyDown={move}>
        {tabs.map(({ id, label: text }) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`${base}-${id}`}
            className={styles.tab}
            aria-selected={id === chosen}
            aria-controls={`${base}-panel`}
            tabIndex={id === chosen ? 0 : -1}
            onClick={() => onChoose(id)}
          >
            {text}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${base}-panel`} aria-labelledby={`${base}-${chosen}`}>
        {children}
      </div>
    </>
  )
}
