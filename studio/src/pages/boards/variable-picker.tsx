import { IconButton } from '../../ui/button.tsx'
import { Select } from '../../ui/select.tsx'
import styles from './board.module.css'
import type { BoardChoice } from './board-variable.ts'

/** Chooses the component that a board shows; the next and the previous one are a click away. */
export function VariablePicker({ choice }: { readonly choice: BoardChoice }) {
  const { choices, moreCount, chosen, error, choose } = choice
  const at = choices.findIndex(({ value }) => value === chosen)
  const [before, after] = [choices[at - 1], at < 0 ? undefined : choices[at + 1]]
  return (
    <div className={styles.variable}>
      <IconButton
        icon="left"
        label="Previous device"
        disabled={before === undefined}
        onClick={() => before !== undefined && choose(before.value)}
      />
      <Select
        label="Device"
        isLabelHidden
        value={chosen}
        choices={choices}
        error={error}
        hint={
          moreCount > 0 ? `The first ${choices.length.toLocaleString('en-GB')} devices` : undefined
        }
        onChoose={choose}
      />
      <IconButton
        icon="right"
        label="Next device"
        disabled={after === undefined}
        onClick={() => after !== undefined && choose(after.value)}
      />
    </div>
  )
}
