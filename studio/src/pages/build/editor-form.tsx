import type { ReactNode } from 'react'
import type { Act } from '../../api/use-act.ts'
import type { Draft } from '../../state/draft.ts'
import { Button } from '../../ui/button.tsx'
import { FormAlert } from '../../ui/field.tsx'
import styles from './build.module.css'

interface EditorFormProps {
  readonly isNew: boolean
  readonly draft: Pick<Draft<object>, 'isChanged'>
  readonly save: Pick<Act, 'isBusy' | 'error'>
  /** What was wrong and belongs to no field. */
  readonly rest: string | undefined
  /** Why nothing can be changed here; undefined: it can. Blank says nothing. */
  readonly fixed: string | undefined
  /** Saves; `isOver` also where somebody else has changed the record since. */
  readonly onSave: (isOver: boolean) => void
  readonly onDiscard: () => void
  readonly onDelete: () => void
  /** The fields. */
  readonly children: ReactNode
}

/** The form of a record: its fields, what was wrong with the whole, saving, deleting, and the way back. */
export function EditorForm(props: EditorFormProps) {
  const { fixed, onSave, children } = props
  return (
    <form
      className={styles.part}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        onSave(false)
      }}
    >
      <fieldset className={styles.form} disabled={fixed !== undefined}>
        {children}
      </fieldset>
      {fixed === undefined && <SaveBar {...props} />}
      {fixed !== undefined && fixed !== '' && <p className={styles.note}>{fixed}</p>}
    </form>
  )
}

function SaveBar(props: Omit<EditorFormProps, 'fixed' | 'children'>) {
  const { isNew, draft, save, rest, onSave, onDiscard, onDelete } = props
  const isStale = save.error?.code === 'conflict'
  return (
    <>
      <FormAlert>{rest}</FormAlert>
      <div className={styles.bar}>
        <Button
          kind="primary"
          type="submit"
          isBusy={save.isBusy}
          disabled={!isNew && !draft.isChanged}
        >
          {isNew ? 'Make it' : 'Save'}
        </Button>
        {draft.isChanged && <Button onClick={onDiscard}>Discard changes</Button>}
        {isStale && !isNew && (
          <Button kind="danger" onClick={() => onSave(true)}>
            Save mine over theirs
          </Button>
        )}
        {!isNew && (
          <Button kind="danger" icon="trash" data-end onClick={onDelete}>
            Delete
          </Button>
        )}
      </div>
      {draft.isChanged && (
        <p className={styles.note}>
          Not saved yet. What you entered is kept in this tab, also when it is loaded again.
        </p>
      )}
    </>
  )
}
