import { useState } from 'react'
import { listRecords, recordKey, saveRecord } from '../../api/records.ts'
import { useRole } from '../../api/session.ts'
import { useAct } from '../../api/use-act.ts'
import { useQuery } from '../../api/use-query.ts'
import { Link } from '../../app/link.tsx'
import { navigate, useAddress } from '../../app/place.ts'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Field } from '../../ui/field.tsx'
import { PageFrame } from '../../ui/page-frame.tsx'
import styles from './board.module.css'
import type { Dashboard } from './board-types.ts'
import { ImportDialog } from './import-dialog.tsx'

const PAGE = 100

const columns: ReadonlyArray<Column<Dashboard>> = [
  {
    id: 'name',
    label: 'Name',
    show: ({ uid, name, id }) => (
      <Link className={styles.name} to={`/boards/${uid}`}>
        {name || id || 'Unnamed'}
      </Link>
    ),
  },
  {
    id: 'description',
    label: 'Description',
    show: ({ description }) => <span className={styles.name}>{description}</span>,
  },
  { id: 'panels', label: 'Panels', isNumber: true, show: ({ panelCount }) => panelCount },
]

/** All boards of the organization. */
export function BoardsPage() {
  const isReader = useRole() === 'GUEST'
  const { query, change } = useAddress()
  const start = Math.max(0, Number(query.get('start') ?? 0) || 0)
  const [open, setOpen] = useState<'new' | 'import'>()
  const { data, error } = useQuery(
    recordKey('dashboard', 'list', start),
    (signal) => listRecords('dashboard', { start: String(start), limit: String(PAGE) }, signal),
    { keepPrevious: true },
  )
  const total = data?.total ?? 0
  const go = (to: number) => change({ start: to === 0 ? undefined : String(to) }, { step: true })
  const actions = isReader ? undefined : (
    <>
      <Button icon="upload" onClick={() => setOpen('import')}>
        Import
      </Button>
      <Button kind="primary" icon="plus" onClick={() => setOpen('new')}>
        New board
      </Button>
    </>
  )
  return (
    <PageFrame title="Boards" actions={actions}>
      {error !== undefined && <Empty text={error.message} />}
      {data !== undefined && total === 0 && (
        <Empty text="No boards. A board shows charts, gauges, and last values side by side, for everyone in the organization." />
      )}
      {data !== undefined && total > 0 && (
        <DataTable label="Boards" columns={columns} rows={data.rows} keyOf={({ uid }) => uid} />
      )}
      {total > PAGE && (
        <div className={styles.tools}>
          <Button disabled={start === 0} onClick={() => go(Math.max(0, start - PAGE))}>
            Previous
          </Button>
          <Button disabled={start + PAGE >= total} onClick={() => go(start + PAGE)}>
            Next
          </Button>
        </div>
      )}
      {open === 'new' && <NewBoard onClose={() => setOpen(undefined)} />}
      {open === 'import' && <ImportDialog onClose={() => setOpen(undefined)} />}
    </PageFrame>
  )
}

function NewBoard({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('')
  const save = useAct()
  const saveNow = () =>
    save.run(async () => {
      const { uid } = await saveRecord('dashboard', '', { name })
      onClose()
      navigate(`/boards/${uid}?edit=1`)
    })
  return (
    <Dialog title="New board" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void saveNow()
        }}
      >
        <Field
          label="Name"
          value={name}
          error={save.error?.message}
          autoComplete="off"
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={save.isBusy}>
            Create
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
