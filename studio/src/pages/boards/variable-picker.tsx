import { IconButton } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import styles from './board.module.css'
import type { BoardChoice } from './board-variable.ts'

/** Of more choices, some words find one faster than scrolling. */
const UNFILTERED_MAX = 20

/** Chooses the component that a board shows; the next and the previous one are a click away. */
export function VariablePicker({ choice }: { readonly choice: BoardChoice }) {
  const { choices, totalCount, chosen, only, error, text, choose, setText } = choice
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
          totalCount > choices.length
            ? `The first ${choices.length.toLocaleString('en-GB')} devices. Filter to find others.`
            : undefined
        }
        onChoose={choose}
      />
      <IconButton
        icon="right"
        label="Next device"
        disabled={after === undefined}
        onClick={() => after !== undefined && choose(after.value)}
      />
      {(choices.length > UNFILTERED_MAX || text !== '') && (
        <Field
          label="Filter devices"
          isLabelHidden
          type="search"
          placeholder="Filter devices"
          autoComplete="off"
          value={text}
          hint={text === '' ? undefined : countText(totalCount, only)}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={({ key }) => key === 'Enter' && only !== undefined && choose(only)}
        />
      )}
    </div>
  )
}

function countText(count: number, only: string | undefined): string {
  if (only !== undefined) return '1 found. Press Enter to show it.'
  return count === 0 ? 'No matching devices.' : `${count.toLocaleString('en-GB')} found`
}
