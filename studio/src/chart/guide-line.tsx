import { type KeyboardEvent, type PointerEvent, useEffect, useRef } from 'react'
import { classes } from '../ui/classes.ts'
import type { Precision } from './digits.ts'
import { preciseText } from './figures.ts'
import styles from './guide-line.module.css'
import { withUnit } from './unit-text.ts'
import {
  heightOfValue,
  keyStepOf,
  roundedFor,
  type ValueScale,
  valueAtHeight,
} from './value-scale.ts'

/** Where a line begins that has no value: in the upper part of the plot, or the lower one. */
const START_PART = 0.25
/** Page keys move by this many steps. */
const PAGE_STEPS = 10

/** A line across a chart, which people drag or move by keys. */
export interface Guide {
  /** What the line is, for screen readers. */
  readonly label: string
  /** Undefined: the line chooses a value that is in sight, and reports it. */
  readonly value: number | undefined
  /** A value that the axis includes. It stays the same while the line is dragged. */
  readonly reach: number | undefined
  /** The side that is marked. */
  readonly isAbove: boolean
  readonly unit: string
  readonly precision: Precision | undefined
  /** `isDone`: the movement is over. */
  readonly onMove: (value: number, options: { readonly isDone: boolean }) => void
  readonly onClose: () => void
}

interface GuideLineProps {
  readonly guide: Guide
  readonly scale: ValueScale
}

/** Draws a guide over the plot. */
export function GuideLine({ guide, scale }: GuideLineProps) {
  const { label, value, isAbove, unit, precision, onMove } = guide
  const line = useRef<HTMLDivElement>(null)
  const grip = useRef<{ readonly y: number; readonly value: number }>(undefined)
  const { left, top, width, height, min, max } = scale
  const isUnset = value === undefined
  const start = roundedFor(scale, precision, valueAtHeight(scale, startHeight(scale, isAbove)))
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the first scale chooses a value.
  useEffect(() => {
    if (isUnset) onMove(start, { isDone: true })
    line.current?.focus()
  }, [isUnset])
  if (isUnset) return null
  const y = Math.min(Math.max(heightOfValue(scale, value), 0), height)
  const text = preciseText(value, precision)
  const drag = (event: PointerEvent, isDone: boolean) => {
    if (grip.current === undefined) return
    const moved = heightOfValue(scale, grip.current.value) + event.clientY - grip.current.y
    onMove(roundedFor(scale, precision, valueAtHeight(scale, moved)), { isDone })
    if (isDone) grip.current = undefined
  }
  return (
    <div className={styles.plot} style={{ left, top, width, height }}>
      <div
        className={styles.side}
        style={isAbove ? { top: 0, height: y } : { top: y, height: height - y }}
      />
      <div
        ref={line}
        className={styles.line}
        style={{ top: y }}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-orientation="vertical"
        aria-valuemin={min}
        aria-valuemax={max}
        aria-valuenow={value}
        aria-valuetext={`${isAbove ? 'Above' : 'Below'} ${withUnit(text, unit)}`}
        onPointerDown={(event) => {
          if (event.button !== 0) return
          event.currentTarget.setPointerCapture(event.pointerId)
          grip.current = { y: event.clientY, value }
        }}
        onPointerMove={(event) => drag(event, false)}
        onPointerUp={(event) => drag(event, true)}
        onPointerCancel={(event) => drag(event, true)}
        onKeyDown={(event) => onKey(event, guide, scale)}
      >
        <span className={classes(styles.value, y < height / 2 ? styles.below : styles.over)}>
          {withUnit(text, unit)}
        </span>
      </div>
    </div>
  )
}

function startHeight({ height }: ValueScale, isAbove: boolean): number {
  return height * (isAbove ? START_PART : 1 - START_PART)
}

/** Arrow keys move the line by a step, page keys by ten, Home and End to the ends of the axis. */
function onKey(event: KeyboardEvent, { value = 0, precision, ...guide }: Guide, scale: ValueScale) {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  const step = keyStepOf(scale, precision)
  const targets: Readonly<Record<string, number>> = {
    ArrowUp: value + step,
    ArrowRight: value + step,
    ArrowDown: value - step,
    ArrowLeft: value - step,
    PageUp: value + step * PAGE_STEPS,
    PageDown: value - step * PAGE_STEPS,
    Home: scale.min,
    End: scale.max,
  }
  const target = targets[event.key]
  if (target === undefined && event.key !== 'Escape') return
  event.preventDefault()
  if (target === undefined) guide.onClose()
  else guide.onMove(roundedFor(scale, precision, target), { isDone: true })
}
