import { useState } from 'react'
import { queries } from '../../api/query-cache.ts'
import { deleteRecord, type RecordKinds, recordKey, saveRecord } from '../../api/records.ts'
import { useAct } from '../../api/use-act.ts'
import { navigate } from '../../app/place.ts'
import type { Draft } from '../../state/draft.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDelete } from '../../ui/confirm-delete.tsx'
import { MorePanel } from '../../ui/more-panel.tsx'
import { showToast } from '../../ui/toast.tsx'
import { PutQueryOnBoard } from './put-query-on-board.tsx'
import styles from './query.module.css'
import { SaveDialog } from './save-dialog.tsx'

type Query = RecordKinds['query']

interface QueryActionsProps {
  readonly saved: Query
  readonly draft: Draft<Query>
  /** Who may only read saves nothing. */
  readonly isReader: boolean
  readonly isChart: boolean
}

/** What can be done with a query that is saved, or with a text that is not. */
export function QueryActions({ saved, draft, isReader, isChart }: QueryActionsProps) {
  const [open, setOpen] = useState<'new' | 'rename' | 'delete'>()
  const act = useAct()
  if (isReader) return null
  const { sql } = draft.value
  const isBlank = sql.trim() === ''
  const save = (revision: number | undefined) =>
    act.run(async () => {
      const known = revision === undefined ? {} : { revision }
      const made = await saveRecord('query', saved.uid, { sql, ...known })
      queries.put(recordKey('query', made.uid), made)
      draft.discard()
      showToast('Query saved.')
    })
  const remove = async () => {
    await deleteRecord('query', saved.uid)
    draft.discard()
    showToast('Query deleted.')
    navigate('/query')
  }
  const name = (saved.name || saved.id || 'query').slice(0, 60)
  return (
    <>
      {act.error !== undefined && (
        <span role="alert" className={styles.wrong}>
          {act.error.message}
        </span>
      )}
      {act.error?.code === 'conflict' && (
        <Button kind="danger" onClick={() => void save(undefined)}>
          Overwrite with my changes
        </Button>
      )}
      {saved.uid === '' ? (
        <Button kind="primary" disabled={isBlank} onClick={() => setOpen('new')}>
          Save
        </Button>
      ) : (
        <>
          {draft.isChanged && <Button onClick={draft.discard}>Discard changes</Button>}
          <PutQueryOnBoard saved={saved} isChart={isChart} />
          <Button
            kind="primary"
            isBusy={act.isBusy}
            disabled={!draft.isChanged || isBlank}
            onClick={() => void save(draft.revision)}
          >
            Save
          </Button>
          <MorePanel label="More actions" closesOnAct>
            <Button disabled={isBlank} onClick={() => setOpen('new')}>
              Save as
            </Button>
            <Button onClick={() => setOpen('rename')}>Rename</Button>
            <Button kind="danger" icon="trash" onClick={() => setOpen('delete')}>
              Delete
            </Button>
          </MorePanel>
        </>
      )}
      {(open === 'new' || open === 'rename') && (
        <SaveDialog
          saved={saved}
          sql={sql}
          isRename={open === 'rename'}
          onClose={() => setOpen(undefined)}
          onSaved={(uid) => {
            setOpen(undefined)
            if (open === 'new') draft.discard()
            navigate(`/query/${uid}`)
          }}
        />
      )}
      {open === 'delete' && (
        <ConfirmDelete
          what={`the query “${name}”`}
          name={name}
          onDelete={remove}
          onClose={() => setOpen(undefined)}
        >
          <p>Deletes the query for everyone in the organization. Streams and samples stay.</p>
        </ConfirmDelete>
      )}
    </>
  )
}
