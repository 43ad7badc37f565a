import { type ComponentType, useState } from 'react'
import { queries } from '../../api/query-cache.ts'
import { type RecordKind, type RecordKinds, recordKey } from '../../api/records.ts'
import { useRole } from '../../api/session.ts'
import { useDraft } from '../../state/draft.ts'
import { ConfirmDelete } from '../../ui/confirm-delete.tsx'
import { EditorForm } from './editor-form.tsx'
import { errorsOf, type FieldsProps, shownName } from './form.ts'
import type { KindWords } from './kinds.ts'
import { useRecordActs } from './use-record-acts.ts'

/** What makes the editor of a kind. */
export interface Editor<R> {
  readonly Fields: ComponentType<FieldsProps<R>>
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
  const { Fields, Loss, Below } = editor
  const isNew = saved.uid === ''
  const fixed = useFixed(saved)
  const draft = useDraft(`${kind}/${saved.uid}`, saved)
  const [isDeleting, setIsDeleting] = useState(false)
  const about = { kind, saved, draft, list: `/build/${kind}`, title: capitalized(one) }
  const { save, saveFields, remove } = useRecordActs(about)
  const saveNow = (isOver: boolean) => {
    const { uid: _, revision: __, ...whole } = draft.value
    return saveFields(isNew ? whole : draft.changes, isOver)
  }
  const errorOf = errorsOf(kind, save.error)
  const discard = () => {
    draft.discard()
    save.clear()
    queries.invalidate(recordKey(kind, saved.uid))
  }
  const askDelete = () => {
    // Dependent records are counted again.
    queries.invalidate(['extent', saved.uid])
    queries.invalidate(recordKey('component', 'inside'))
    setIsDeleting(true)
  }
  const name = shownName(saved).slice(0, 60)
  return (
    <>
      <EditorForm
        isNew={isNew}
        draft={draft}
        save={save}
        fixed={fixed}
        onSave={(isOver) => void saveNow(isOver)}
        onDiscard={discard}
        onDelete={askDelete}
      >
        <Fields value={draft.value} isNew={isNew} set={draft.set} errorOf={errorOf} />
      </EditorForm>
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

/** Why the person cannot change a record; undefined: they can. What is built in has no revision. */
function useFixed({ uid, revision }: AnyRecord): string | undefined {
  const isGuest = useRole() === 'GUEST'
  if (revision === 0 && uid !== '') return 'Built-in. It cannot be changed.'
  return isGuest ? 'Read-only: guests cannot make changes.' : undefined
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
