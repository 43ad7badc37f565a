import { useState } from 'react'
import { queries } from '../../api/query-cache.ts'
import { type RecordKinds, recordKey, saveRecord } from '../../api/records.ts'
import { useAct } from '../../api/use-act.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Field, FormAlert } from '../../ui/field.tsx'
import { browserZone } from '../../ui/time/zone-time.ts'
import { showToast } from '../../ui/toast.tsx'
import { ZoneField } from '../../ui/zone-field.tsx'

interface SaveDialogProps {
  readonly saved: RecordKinds['query']
  /** The current text. */
  readonly sql: string
  /** Changes what the saved one is called; else one is made. */
  readonly isRename: boolean
  readonly onClose: () => void
  readonly onSaved: (uid: string) => void
}

/** Asks what a query is to be called. */
export function SaveDialog({ saved, sql, isRename, onClose, onSaved }: SaveDialogProps) {
  const [name, setName] = useState(isRename ? saved.name : '')
  const [timeZoneId, setZone] = useState(saved.timeZoneId || browserZone())
  const act = useAct()
  const save = () =>
    act.run(async () => {
      const fields = isRename ? { name, timeZoneId } : { name, timeZoneId, sql }
      const made = await saveRecord('query', isRename ? saved.uid : '', fields)
      queries.put(recordKey('query', made.uid), made)
      showToast(isRename ? 'Query renamed.' : 'Query saved.')
      onSaved(made.uid)
    })
  return (
    <Dialog title={isRename ? 'Rename query' : 'Save query'} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (name.trim() !== '') void save()
        }}
      >
        <Field
          label="Name"
          value={name}
          error={act.errorAt('name')}
          autoComplete="off"
          data-autofocus
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <ZoneField
          label="Time zone"
          hint="Used for dates without a zone and for displayed times"
          value={timeZoneId}
          error={act.errorAt('timeZoneId')}
          onChange={setZone}
        />
        <FormAlert>{act.errorBeside('name', 'timeZoneId')}</FormAlert>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={act.isBusy} disabled={name.trim() === ''}>
            {isRename ? 'Rename' : 'Save'}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
