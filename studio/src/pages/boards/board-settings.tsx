import type { ApiError } from '../../api/api-error.ts'
import { Button } from '../../ui/button.tsx'
import { Field, FormAlert, TextArea } from '../../ui/field.tsx'
import styles from './board.module.css'
import type { Dashboard } from './board-types.ts'
import { RangeField } from './range-field.tsx'
import { VariableFields } from './variable-fields.tsx'

interface BoardSettingsProps {
  readonly board: Dashboard
  readonly error: ApiError | undefined
  readonly onChange: (changes: Partial<Dashboard>) => void
  readonly onSaveOver: () => void
  /** The panel that the error is about. */
  readonly wrong: { readonly name: string; readonly onEdit: () => void } | undefined
}

/** What a board is called, what its panels show by default, and what was wrong when it was saved. */
export function BoardSettings({ board, error, onChange, onSaveOver, wrong }: BoardSettingsProps) {
  const own = /^(?:name|id|description|range|variable(?:\..*)?)$/
  const errorOf = (field: string) => (error?.field === field ? error.message : undefined)
  const rest = error !== undefined && !own.test(error.field ?? '') ? error.message : undefined
  return (
    <div>
      <FormAlert>{rest}</FormAlert>
      {wrong !== undefined && (
        <p>
          <Button icon="edit" onClick={wrong.onEdit}>
            Edit {wrong.name.slice(0, 60)}
          </Button>
        </p>
      )}
      {error?.code === 'conflict' && (
        <p>
          <Button kind="danger" onClick={onSaveOver}>
            Overwrite with my changes
          </Button>
        </p>
      )}
      <div className={styles.settings}>
        <Field
          label="Name"
          value={board.name}
          error={errorOf('name')}
          autoComplete="off"
          onChange={(event) => onChange({ name: event.currentTarget.value })}
        />
        <Field
          label="ID"
          hint="Optional. Unique in the organization"
          value={board.id}
          error={errorOf('id')}
          autoComplete="off"
          onChange={(event) => onChange({ id: event.currentTarget.value })}
        />
        <RangeField
          label="Time range"
          value={board.range}
          error={errorOf('range')}
          onChange={(range) => onChange({ range })}
        />
        <VariableFields board={board} errorOf={errorOf} onChange={onChange} />
        <TextArea
          label="Description"
          rows={1}
          value={board.description}
          error={errorOf('description')}
          onChange={(event) => onChange({ description: event.currentTarget.value })}
        />
      </div>
    </div>
  )
}
