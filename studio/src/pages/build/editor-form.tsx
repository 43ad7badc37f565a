import { type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from 'react'
import type { Act } from '../../api/use-act.ts'
import type { Draft } from '../../state/draft.ts'
import { Button } from '../../ui/button.tsx'
import { FormAlert } from '../../ui/field.tsx'
import { MorePanel } from '../../ui/more-panel.tsx'
import styles from './build.module.css'

interface EditorFormProps {
  readonly isNew: boolean
  readonly draft: Pick<Draft<object>, 'isChanged'>
  readonly save: Pick<Act, 'isBusy' | 'error'>
  /** Why nothing can be changed here; undefined: it can. Blank says nothing. */
  readonly fixed: string | undefined
  /** Saves; `isOver` also where somebody else has changed the record since. */
  readonly onSave: (isOver: boolean) => void
  readonly onDiscard: () => void
  readonly onDelete: () => void
  /** The fields. */
  readonly children: ReactNode
}

/** The form of a record: its fields, what was wrong and none of them shows, saving, deleting, and the way back. */
export function EditorForm(props: EditorFormProps) {
  const { fixed, save, onSave, children } = props
  const fields = useRef<HTMLFieldSetElement>(null)
  const rest = useUnplaced(fields, save.error?.message)
  return (
    <form
      className={styles.part}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        const invalid = event.currentTarget.querySelector<HTMLElement>('input:invalid')
        if (invalid === null) onSave(false)
        else invalid.focus()
      }}
    >
      <fieldset ref={fields} className={styles.form} disabled={fixed !== undefined}>
        {children}
      </fieldset>
      {fixed === undefined && <SaveBar {...props} rest={rest} />}
      {fixed !== undefined && fixed !== '' && <p className={styles.note}>{fixed}</p>}
    </form>
  )
}

/**
 * The message when nothing in a place shows it. What is there is looked at, since which fields a form
 * has depends on what is in it: an error may be about a part for which there is no input.
 */
function useUnplaced(
  place: RefObject<HTMLElement | null>,
  message: string | undefined,
): string | undefined {
  const [isPlaced, setIsPlaced] = useState(false)
  useLayoutEffect(() => {
    const alerts = place.current?.querySelectorAll('[role="alert"]') ?? []
    setIsPlaced([...alerts].some(({ textContent }) => textContent === message))
  })
  return isPlaced ? undefined : message
}

interface SaveBarProps extends Omit<EditorFormProps, 'fixed' | 'children'> {
  /** What was wrong and stands at no field. */
  readonly rest: string | undefined
}

function SaveBar(props: SaveBarProps) {
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
          {isNew ? 'Create' : 'Save'}
        </Button>
        {draft.isChanged && <Button onClick={onDiscard}>Discard changes</Button>}
        {isStale && !isNew && (
          <Button kind="danger" onClick={() => onSave(true)}>
            Overwrite with my changes
          </Button>
        )}
        {!isNew && (
          <div className={styles.end}>
            <MorePanel label="More actions" closesOnAct>
              <Button kind="danger" icon="trash" onClick={onDelete}>
                Delete
              </Button>
            </MorePanel>
          </div>
        )}
      </div>
      {draft.isChanged && (
        <p className={styles.note}>
          Unsaved changes. This tab keeps your entries, even after a reload.
        </p>
      )}
    </>
  )
}
