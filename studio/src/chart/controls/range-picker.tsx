import { type FormEvent, useRef, useState } from 'react'
import { RANGE_WORDS } from '../../state/range-words.ts'
import type { ViewRange } from '../../state/use-view-range.ts'
import { Button } from '../../ui/button.tsx'
import { inputText, readInput } from '../../ui/time/input-time.ts'
import { offsetText, rangeText } from '../../ui/time/moment-text.ts'
import { TimeField } from '../../ui/time/time-field.tsx'
import { useLeave } from '../../ui/use-leave.ts'
import styles from './controls.module.css'

const LABELS = new Map(RANGE_WORDS)

/** The range in words; below them exact times, in the zone that is shown. */
export function RangePicker({ view }: { readonly view: ViewRange }) {
  const [isOpen, setIsOpen] = useState(false)
  const place = useRef<HTMLDivElement>(null)
  const { word, range, zone } = view
  useLeave(place, isOpen, () => setIsOpen(false))
  const text = LABELS.get(word) ?? rangeText(zone, range.from, range.until)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes what the button opens.
    <div
      ref={place}
      className={styles.picker}
      onKeyDown={(event) => event.key === 'Escape' && setIsOpen(false)}
    >
      <Button
        icon="down"
        aria-expanded={isOpen}
        aria-haspopup="dialog"
        onClick={() => setIsOpen(!isOpen)}
      >
        <span className={styles.range} title={text}>
          {text}
        </span>
      </Button>
      {isOpen && (
        <div className={styles.panel} role="dialog" aria-label="Time range">
          <ul className={styles.words}>
            {RANGE_WORDS.map(([one, label]) => (
              <li key={one}>
                <button
                  type="button"
                  className={styles.word}
                  aria-pressed={one === word}
                  onClick={() => {
                    view.onWord(one)
                    setIsOpen(false)
                  }}
                >
                  {label}
                </button>
              </li>
            ))}
          </ul>
          <ExactRange view={view} onDone={() => setIsOpen(false)} />
        </div>
      )}
    </div>
  )
}

function ExactRange({ view, onDone }: { readonly view: ViewRange; readonly onDone: () => void }) {
  const { zone, range } = view
  const [from, setFrom] = useState(() => inputText(zone, range.from))
  const [until, setUntil] = useState(() => inputText(zone, range.until))
  const [error, setError] = useState<string>()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const [start, end] = [readInput(zone, from), readInput(zone, until)]
    if (Number.isNaN(start) || Number.isNaN(end))
      return setError('Enter both times, such as 2026-11-15 16:31:48.')
    if (start >= end) return setError('The end must be after the start.')
    view.onMove({ from: start, until: end }, { isStep: true })
    onDone()
  }
  return (
    <form className={styles.exact} onSubmit={submit}>
      <TimeField
        label="From"
        value={from}
        onChange={(event) => setFrom(event.currentTarget.value)}
      />
      <TimeField
        label="Until"
        value={until}
        error={error}
        hint={zoneHint(zone, range.until)}
        onChange={(event) => setUntil(event.currentTarget.value)}
      />
      <Button type="submit" kind="primary">
        Apply
      </Button>
    </form>
  )
}

/** A zone with its offset; UTC needs to be said once. */
function zoneHint(zone: string, at: number): string {
  const offset = offsetText(zone, at)
  return zone === offset ? zone : `${zone}, ${offset}`
}
