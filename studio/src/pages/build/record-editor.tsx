import { type ComponentType, useState } from 'react'
import { queries } from '../../api/query-cache.ts'
import {
  deleteRecord,
  type RecordKind,
  type RecordKinds,
  recordKey,
  saveRecord,
} from '../../api/records.ts'
import { useRole } from '../../api/session.ts'
import { useAct } from '../../api/use-act.ts'
import { navigate } from '../../app/place.ts'
import { useDraft } from '../../state/draft.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDelete } from '../../ui/confirm-delete.tsx'
import { tell } from '../../ui/toast.tsx'
import styles from './build.module.css'
import { errorsOf, type FieldsProps, shownName } from './form.ts'
import type { KindWords } from './kinds.ts'
import { SaveBar } from './save-bar.tsx'

/** What makes the editor of a kind. */
export interface Editor<R> {
  readonly Fields: ComponentType<FieldsProps<R>>
  /** The fields that show errors of their own. */
  readonly fields: readonly string[]
  /** What goes when the record is deleted. */
  readonly Loss: ComponentType<{ readonly record: R }>
  /** What stands below the form of a record that is saved. */
  readonly Below?: ComponentType<{ readonly record: R }>
}

type AnyRecord = RecordKinds[RecordKind]

interface RecordEditorProps {
  readonly words: KindWords
  readonly editor: Editor<AnyRecord>
  readonly saved: AnyRecord
}

/** The form of a record: its draft, what the service says, saving and deleting. */
export function RecordEditor({ words, editor, saved }: RecordEditorProps) {
  const { kind, one } = words
  const { Fields, fields, Loss, Below } = editor
  const isNew = saved.uid === ''
  // What is built in has no revision, and nobody changes it.
  const isFixed = useRole() === 'GUEST' || (!isNew && saved.revision === 0)
  const draft = useDraft(`${kind}/${saved.uid}`, saved)
  const [isDeleting, setIsDeleting] = useState(false)
  const save = useAct()
  const saveNow = (isOver: boolean) =>
    save.run(async () => {
      const { uid: _, revision: __, ...whole } = draft.value
      const known = isOver ? {} : { revision: draft.revision }
      const made = await saveRecord(kind, saved.uid, isNew ? whole : { ...draft.changes, ...known })
      queries.put(recordKey(kind, made.uid), made)
      draft.discard()
      tell(`The ${one} is saved.`)
      if (isNew) navigate(`/build/${kind}/${made.uid}`, { replace: true })
    })
  const remove = async () => {
    await deleteRecord(kind, saved.uid)
    draft.discard()
    tell(`The ${one} is deleted.`)
    navigate(`/build/${kind}`)
  }
  const { errorOf, rest } = errorsOf(kind, save.error, fields)
  const discard = () => {
    draft.discard()
    save.clear()
    queries.invalidate(recordKey(kind, saved.uid))
  }
  const name = shownName(saved).slice(0, 60)
  return (
    <>
      <form
        className={styles.part}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void saveNow(false)
        }}
      >
        <fieldset className={styles.form} disabled={isFixed}>
          <Fields value={draft.value} isNew={isNew} set={draft.set} errorOf={errorOf} />
        </fieldset>
        {isFixed ? (
          <p className={styles.note}>
            {saved.revision === 0
              ? 'This one is built in: nobody can change it.'
              : 'As a guest you can read this, and change nothing.'}
          </p>
        ) : (
          <SaveBar
            isNew={isNew}
            isChanged={draft.isChanged}
            isBusy={save.isBusy}
            rest={rest}
            isStale={save.error?.code === 'conflict'}
            onDiscard={discard}
            onSaveOver={() => void saveNow(true)}
          >
            {!isNew && (
              <Button kind="danger" icon="trash" data-end onClick={() => setIsDeleting(true)}>
                Delete
              </Button>
            )}
          </SaveBar>
        )}
      </form>
      {!isNew && Below !== undefined && <Below record={saved} />}
      {isDeleting && (
        <ConfirmDelete
          what={`the ${one} “${name}”`}
          name={name}
          onDelete={remove}
          onClose={() => setIsDeleting(false)}
        >
          <Loss record={saved} />
        </ConfirmDelete>
      )}
    </>
  )
}
