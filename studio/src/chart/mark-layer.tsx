import { type KeyboardEvent, useRef, useState } from 'react'
import { Link } from '../app/link.tsx'
import { momentText } from '../ui/time/moment-text.ts'
import { useLeave } from '../ui/use-leave.ts'
import { type ChartMarks, groupsOf, type MarkGroup } from './chart-marks.ts'
import styles from './mark-layer.module.css'
import type { TimeRange } from './time-range.ts'
import type { ValueScale } from './value-scale.ts'

/** Events that the list of a mark shows; a longer one nobody reads. */
const LISTED_MAX = 50

interface MarkLayerProps {
  readonly marks: ChartMarks
  readonly range: TimeRange
  readonly zone: string
  readonly scale: ValueScale
}

/** Marks at the foot of the plot. Each opens a list of its events; arrow keys move from one to the next. */
export function MarkLayer({ marks: { marks, label }, range, zone, scale }: MarkLayerProps) {
  const { left, top, width, height } = scale
  const [chosen, setChosen] = useState<string>()
  const [isOpen, setIsOpen] = useState(false)
  const place = useRef<HTMLDivElement>(null)
  useLeave(place, isOpen, () => setIsOpen(false))
  const groups = groupsOf(marks, range, width)
  if (groups.length === 0) return null
  const at = groups.findIndex((group) => group.marks.some(({ key }) => key === chosen))
  const open = isOpen ? groups[at] : undefined
  const move = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.key === 'Escape' && isOpen) {
      setIsOpen(false)
      place.current?.querySelector<HTMLElement>('button[tabindex="0"]')?.focus()
    } else {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
      const next = step === undefined ? undefined : groups[Math.max(at, 0) + step]
      if (next === undefined) return
      setChosen(next.marks[0].key)
      place.current?.querySelectorAll('button')[Math.max(at, 0) + (step ?? 0)]?.focus()
    }
    event.preventDefault()
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: marks of a chart are no fieldset.
    <div
      ref={place}
      className={styles.plot}
      style={{ left, top, width, height }}
      role="group"
      aria-label={label}
      onKeyDown={move}
    >
      {groups.map((group, index) => (
        <Mark
          key={group.marks[0].key}
          group={group}
          zone={zone}
          isOpen={group === open}
          isReached={index === Math.max(at, 0)}
          onToggle={() => {
            setChosen(group.marks[0].key)
            setIsOpen(group !== open)
          }}
        />
      ))}
      {open !== undefined && <MarkList group={open} zone={zone} width={width} height={height} />}
    </div>
  )
}

interface MarkProps {
  readonly group: MarkGroup
  readonly zone: string
  readonly isOpen: boolean
  /** Whether the Tab key comes to it. */
  readonly isReached: boolean
  readonly onToggle: () => void
}

function Mark({ group: { marks, x }, zone, isOpen, isReached, onToggle }: MarkProps) {
  const [first] = marks
  const text = `${first.state}: ${first.name}, ${momentText(zone, first.time)}`
  const label = marks.length === 1 ? text : `${marks.length} events, the first: ${text}`
  return (
    <button
      type="button"
      className={styles.mark}
      style={{ left: x }}
      data-start={marks.some(({ isStart }) => isStart) || undefined}
      aria-label={label}
      aria-expanded={isOpen}
      title={label}
      tabIndex={isReached ? 0 : -1}
      onClick={onToggle}
    >
      <span className={styles.sign}>{marks.length > 1 && marks.length}</span>
    </button>
  )
}

interface MarkListProps {
  readonly group: MarkGroup
  readonly zone: string
  readonly width: number
  readonly height: number
}

/** The events of a mark, the newest first, over the plot. */
function MarkList({ group: { marks, x }, zone, width, height }: MarkListProps) {
  const shown = marks.toReversed().slice(0, LISTED_MAX)
  const size = Math.min(width, 300)
  return (
    <ol
      className={styles.list}
      style={{
        left: Math.min(Math.max(x - size / 2, 0), width - size),
        width: size,
        maxHeight: Math.max(height - 40, 60),
      }}
    >
      {shown.map(({ key, time, state, name, about, isStart, to }) => (
        <li key={key} data-start={isStart || undefined}>
          <span className={styles.state}>{state}</span>: <Link to={to}>{name}</Link>
          {about !== '' && <span className={styles.soft}> ({about})</span>}
          <span className={styles.time}>{momentText(zone, time)}</span>
        </li>
      ))}
      {marks.length > LISTED_MAX && (
        <li className={styles.soft}>And {marks.length - LISTED_MAX} earlier ones</li>
      )}
    </ol>
  )
}
