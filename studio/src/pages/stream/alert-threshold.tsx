import { useState } from 'react'
import { useRole } from '../../api/session.ts'
import { type Address, navigate, useAddress } from '../../app/place.ts'
import type { Plot } from '../../chart/chart-series.ts'
import { cycleIn } from '../../chart/controls/cycle-picker.tsx'
import type { Guide } from '../../chart/guide-line.tsx'
import { precisionOf } from '../../chart/precision.ts'
import type { FoundStream } from '../../state/use-stream.ts'
import { Button } from '../../ui/button.tsx'
import { NumberField } from '../../ui/number-field.tsx'
import { Select } from '../../ui/select.tsx'
import { newAlertPath } from '../alerts/new-alert-path.ts'
import styles from './stream.module.css'

/** The parameter of the address: a side, and a value once there is one, such as `above:27.5`. */
const PARAMETER = 'threshold'
const SIDES = [
  { value: 'above', label: 'above' },
  { value: 'below', label: 'below' },
]

/** A threshold for a new alert, as the address has it. */
interface Threshold {
  readonly isAbove: boolean
  readonly value: number | undefined
}

function thresholdIn(query: URLSearchParams): Threshold | undefined {
  const [, side, text = ''] = /^(above|below)(?::(.+))?$/.exec(query.get(PARAMETER) ?? '') ?? []
  const value = Number(text)
  if (side === undefined) return undefined
  return {
    isAbove: side === 'above',
    value: text === '' || !Number.isFinite(value) ? undefined : value,
  }
}

function writeThreshold({ change }: Address, { isAbove, value }: Threshold): void {
  const side = isAbove ? 'above' : 'below'
  change({ [PARAMETER]: value === undefined ? side : `${side}:${value}` })
}

/** Whether a chart shows values that an alert can compare: samples of a stream of numbers. */
function canCompare({ kind }: FoundStream, query: URLSearchParams): boolean {
  return kind === 'number' && cycleIn(query) === undefined
}

/** Shows and hides the threshold on the chart. */
export function ThresholdButton({ found }: { readonly found: FoundStream }) {
  const address = useAddress()
  const isGuest = useRole() === 'GUEST'
  if (isGuest || !canCompare(found, address.query)) return null
  const isShown = thresholdIn(address.query) !== undefined
  return (
    <Button
      icon="bell"
      aria-pressed={isShown}
      onClick={() => {
        if (isShown) address.change({ [PARAMETER]: undefined })
        else writeThreshold(address, { isAbove: true, value: undefined })
      }}
    >
      Alert threshold
    </Button>
  )
}

/** A threshold on a chart: its line, and the bar above the chart that leads to a new alert. */
interface ThresholdView {
  readonly guide: Guide
  readonly bar: ThresholdBarProps
}

/** The threshold that the address asks for; undefined where it asks for none. */
export function useThreshold(
  found: FoundStream,
  plot: Plot | undefined,
): ThresholdView | undefined {
  const address = useAddress()
  const isGuest = useRole() === 'GUEST'
  const [dragged, setDragged] = useState<number>()
  const chosen = thresholdIn(address.query)
  if (chosen === undefined || isGuest || !canCompare(found, address.query)) return undefined
  const { isAbove, value: reach } = chosen
  const value = dragged ?? reach
  const unit = plot?.unit ?? found.unit
  const onClose = () => {
    setDragged(undefined)
    address.change({ [PARAMETER]: undefined })
  }
  const choose = (next: Partial<Threshold>) => {
    setDragged(undefined)
    writeThreshold(address, { isAbove, value, ...next })
  }
  return {
    guide: {
      label: 'Alert threshold',
      value,
      reach,
      isAbove,
      unit,
      precision: precisionOf(plot),
      onMove: (moved, { isDone }) => (isDone ? choose({ value: moved }) : setDragged(moved)),
      onClose,
    },
    bar: { found, isAbove, value, unit, choose, onClose },
  }
}

interface ThresholdBarProps extends Threshold {
  readonly found: FoundStream
  readonly unit: string
  readonly choose: (next: Partial<Threshold>) => void
  readonly onClose: () => void
}

/** The threshold in words and as a field, and the way to the alert. */
export function ThresholdBar(props: ThresholdBarProps) {
  const { found, isAbove, value, unit, choose, onClose } = props
  const create = () => {
    if (value === undefined) return
    navigate(newAlertPath(found, `value ${isAbove ? '>' : '<'} ${value}`))
  }
  return (
    <fieldset className={styles.threshold}>
      <legend className="visually-hidden">Alert threshold</legend>
      <span>Fire when the value is</span>
      <Select
        label="Side of the threshold"
        isLabelHidden
        choices={SIDES}
        value={isAbove ? 'above' : 'below'}
        onChoose={(side) => choose({ isAbove: side === 'above' })}
      />
      <NumberField
        label="Threshold"
        isLabelHidden
        className={styles.thresholdValue}
        value={value}
        onValue={(next) => {
          if (typeof next === 'number') choose({ value: next })
        }}
      />
      {unit.trim() !== '' && <span>{unit}</span>}
      <Button kind="primary" onClick={create}>
        Continue
      </Button>
      <Button onClick={onClose}>Cancel</Button>
    </fieldset>
  )
}
