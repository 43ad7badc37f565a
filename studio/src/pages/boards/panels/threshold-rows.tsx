import { LEVEL_COLORS, type LevelColor, type Threshold } from '../../../chart/levels.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { NumberField } from '../../../ui/number-field.tsx'
import { Select } from '../../../ui/select.tsx'
import styles from '../board.module.css'

/** As many as the service keeps. */
const THRESHOLDS_MAX = 10

interface ThresholdRowsProps {
  readonly thresholds: readonly Threshold[]
  readonly errorOf: (field: string) => string | undefined
  readonly onChange: (thresholds: Threshold[]) => void
}

/** The values of a panel from which on a color applies. */
export function ThresholdRows({ thresholds, errorOf, onChange }: ThresholdRowsProps) {
  const set = (at: number, changes: Partial<Threshold>) =>
    onChange(thresholds.map((one, place) => (place === at ? { ...one, ...changes } : one)))
  const add = () => {
    const last = thresholds.at(-1)
    const value = last === undefined ? 0 : last.value + 1
    const color = LEVEL_COLORS[Math.min(thresholds.length, LEVEL_COLORS.length - 1)]
    onChange([...thresholds, { value, color }])
  }
  return (
    <fieldset className={styles.thresholds}>
      <legend>Thresholds</legend>
      {thresholds.map(({ value, color }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: thresholds have no name but their place.
        <div key={at} className={styles.threshold}>
          <NumberField
            label={`Threshold ${at + 1}: from value`}
            value={value}
            error={errorOf(`options.thresholds[${at}].value`)}
            onValue={(next) => set(at, { value: next as number })}
          />
          <Select
            label={`Color of threshold ${at + 1}`}
            value={color}
            choices={LEVEL_COLORS.map((one) => ({ value: one, label: one }))}
            onChoose={(chosen) => set(at, { color: chosen as LevelColor })}
          />
          <IconButton
            icon="trash"
            label={`Remove threshold ${at + 1}`}
            onClick={() => onChange(thresholds.filter((_, place) => place !== at))}
          />
        </div>
      ))}
      <Button icon="plus" disabled={thresholds.length >= THRESHOLDS_MAX} onClick={add}>
        Add threshold
      </Button>
    </fieldset>
  )
}
