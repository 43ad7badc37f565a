import { queries } from '../../api/query-cache.ts'
import { deleteRecord, type RecordKind, recordKey, saveRecord } from '../../api/records.ts'
import { useAct } from '../../api/use-act.ts'
import { navigate } from '../../app/place.ts'
import type { Draft } from '../../state/draft.ts'
import { showToast } from '../../ui/toast.tsx'

/** A record in its form. */
interface EditedRecord {
  readonly kind: RecordKind
  readonly saved: { readonly uid: string }
  readonly draft: Pick<Draft<object>, 'discard' | 'revision'>
  /** The page of the list. The page of each record is below it. */
  readonly list: string
  /** The name of the kind in toasts, such as `Alert`. */
  readonly title: string
  /** What the address of a new record keeps after its save, such as `?alert=new`. */
  readonly search?: string
}

/** Saves and deletes a record from its form. A toast confirms it, and the address follows the record. */
export function useRecordActs(edited: EditedRecord) {
  const { kind, saved, draft, list, title, search = '' } = edited
  const isNew = saved.uid === ''
  const save = useAct()
  return {
    save,
    /** Saves fields; `isOver` also where somebody else has changed the record since. */
    saveFields: (fields: object, isOver: boolean, onSaved = () => {}) =>
      save.run(async () => {
        const known = isOver || isNew ? {} : { revision: draft.revision }
        const made = await saveRecord(kind, saved.uid, { ...fields, ...known })
        queries.put(recordKey(kind, made.uid), made)
        draft.discard()
        onSaved()
        showToast(`${title} saved.`)
        if (isNew) navigate(`${list}/${made.uid}${search}`, { replace: true })
      }),
    remove: async () => {
      await deleteRecord(kind, saved.uid)
      draft.discard()
      showToast(`${title} deleted.`)
      navigate(list)
    },
  }
}
