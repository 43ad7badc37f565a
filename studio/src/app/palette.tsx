import { type KeyboardEvent, useId, useState } from 'react'
import { Dialog } from '../ui/dialog.tsx'
import styles from './palette.module.css'
import { navigate } from './place.ts'
import { type Find, useFinds } from './use-finds.ts'

/** Finds pages, components, streams and boards by their names, and goes there. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const { finds, note, isSearching } = useFinds(text)
  const base = useId()
  const at = Math.min(chosen, Math.max(0, finds.length - 1))
  const go = (find: Find | undefined) => {
    if (find === undefined) return
    onClose()
    navigate(find.to)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && finds.length > 0) {
      event.preventDefault()
      const next = (at + step + finds.length) % finds.length
      setChosen(next)
      document.getElementById(`${base}-${next}`)?.scrollIntoView({ block: 'nearest' })
    } else if (event.key === 'Enter') {
      event.preventDefault()
      go(finds[at])
    }
  }
  return (
    <Dialog title="Find" onClose={onClose} isTop isBare>
      <input
        className={styles.input}
        data-autofocus
        role="combobox"
        aria-label="Find components, streams, boards, and pages"
        aria-expanded={finds.length > 0}
        aria-controls={`${base}-list`}
        aria-activedescendant={finds.length > 0 ? `${base}-${at}` : undefined}
        aria-autocomplete="list"
        autoComplete="off"
        spellCheck={false}
        placeholder="Find …"
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value)
          setChosen(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div
        id={`${base}-list`}
        role="listbox"
        aria-label="Found"
        className={styles.list}
        tabIndex={-1}
      >
        {finds.map((find, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the keys, as a combobox does.
          <div
            key={find.to}
            id={`${base}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            className={styles.option}
            onClick={() => go(find)}
            onPointerMove={() => setChosen(index)}
          >
            <span className={styles.label}>{find.label}</span>
            <span className={styles.kind}>{find.kind}</span>
            {find.detail !== '' && <span className={styles.detail}>{find.detail}</span>}
          </div>
        ))}
      </div>
      <p className={styles.note} role="status">
        {isSearching ? 'Searching …' : finds.length === 0 ? 'No matches.' : note}
      </p>
    </Dialog>
  )
}
