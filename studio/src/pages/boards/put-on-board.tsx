import { useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { getRecord, listRecords, recordKey, saveRecord } from '../../api/records.ts'
import { useAct } from '../../api/use-act.ts'
import { useQuery } from '../../api/use-query.ts'
import { navigate } from '../../app/place.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Field, FormAlert } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import { showToast } from '../../ui/toast.tsx'
import { blankPanel, type Panel, type PanelKind, type PanelStream } from './board-types.ts'
import { placeBelow } from './grid-layout.ts'

/** What is put on a board: `range` as boards say it (`last-24h`, `today`, `<from>..<until>`), blank: as the board. */
export interface NewPanel {
  readonly kind: PanelKind
  readonly title?: string
  readonly streams: readonly PanelStream[]
  readonly range?: string
  readonly options?: Partial<Panel['options']>
  readonly query?: Panel['query']
}

const TRIES = 3
const NEW = 'new'

/** Puts what another page shows on a board: one that is there, or a new one. */
export function PutOnBoard({
  panel,
  onClose,
}: {
  readonly panel: NewPanel
  readonly onClose: () => void
}) {
  const [chosen, setChosen] = useState('')
  const [name, setName] = useState('')
  const [title, setTitle] = useState(panel.title ?? '')
  const { data, error } = useQuery(recordKey('dashboard', 'all'), (signal) =>
    listRecords('dashboard', { limit: '1000' }, signal),
  )
  const boards = data?.rows ?? []
  const target = chosen || boards[0]?.uid || NEW
  const put = useAct()
  const putNow = () =>
    put.run(async () => {
      const made = { ...panel, title }
      const uid = target === NEW ? await putOnNew(name, made) : await putOn(target, made)
      showToast('Panel added to the board.')
      onClose()
      navigate(`/boards/${uid}`)
    })
  return (
    <Dialog title="Add to board" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void putNow()
        }}
      >
        <Select
          label="Board"
          value={target}
          error={error?.message}
          choices={[
            ...boards.map((one) => ({ value: one.uid, label: (one.name || one.id).slice(0, 80) })),
            { value: NEW, label: 'New board' },
          ]}
          onChoose={setChosen}
        />
        {target === NEW && (
          <Field
            label="Board name"
            value={name}
            autoComplete="off"
            onChange={(event) => setName(event.currentTarget.value)}
          />
        )}
        <Field
          label="Panel title"
          value={title}
          autoComplete="off"
          onChange={(event) => setTitle(event.currentTarget.value)}
        />
        <FormAlert>{put.error?.message}</FormAlert>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={put.isBusy}>
            Add
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

function panelOf(given: NewPanel, others: readonly Panel[]): Panel {
  const blank = blankPanel(given.kind)
  const { title = '', streams, range = '', query } = given
  const options = { ...blank.options, ...given.options }
  return {
    ...blank,
    title,
    streams: [...streams],
    range,
    options,
    ...(query === undefined ? {} : { query }),
    ...placeBelow(others, blank),
  }
}

async function putOnNew(name: string, panel: NewPanel): Promise<string> {
  const { uid } = await saveRecord('dashboard', '', { name, panels: [panelOf(panel, [])] })
  return uid
}

/** Adds the panel to the board as it is; tried again when somebody changes it meanwhile. */
async function putOn(uid: string, panel: NewPanel): Promise<string> {
  for (let tries = 1; ; tries++) {
    const { panels = [], revision } = await getRecord('dashboard', uid)
    try {
      await saveRecord('dashboard', uid, { panels: [...panels, panelOf(panel, panels)], revision })
      return uid
    } catch (thrown) {
      const isConflict = thrown instanceof ApiError && thrown.code === 'conflict'
      if (!isConflict || tries >= TRIES) throw thrown
    }
  }
}
