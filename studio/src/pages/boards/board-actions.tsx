import { useState } from 'react'
import { call } from '../../api/client.ts'
import { deleteRecord } from '../../api/records.ts'
import { useAct } from '../../api/use-act.ts'
import { navigate, useAddress } from '../../app/place.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDelete } from '../../ui/confirm-delete.tsx'
import { MorePanel } from '../../ui/more-panel.tsx'
import { Select } from '../../ui/select.tsx'
import { zonedRangeText } from '../../ui/time/moment-text.ts'
import { browserZone } from '../../ui/time/zone-time.ts'
import { showToast } from '../../ui/toast.tsx'
import styles from './board.module.css'
import type { Dashboard } from './board-types.ts'
import type { BoardZoom } from './board-zoom.ts'
import { RANGE_WORDS, rangeWords, type TimeRange } from './ranges.ts'
import type { FullScreen } from './use-full-screen.ts'

interface BoardActionsProps {
  readonly saved: Dashboard
  readonly isReader: boolean
  readonly isEditing: boolean
  readonly isLive: boolean
  /** What is looked at instead of the board's own range; blank: that. */
  readonly range: string
  readonly zoom: BoardZoom
  readonly isChanged: boolean
  readonly isBusy: boolean
  readonly full: FullScreen
  readonly onAdd: () => void
  readonly onSave: () => void
  readonly onDiscard: () => void
}

/** What can be done with a board: look at it, or change it. */
export function BoardActions(props: BoardActionsProps) {
  const { saved, isReader, isEditing, isLive, isChanged, isBusy, full, zoom } = props
  const { change } = useAddress()
  const [isDeleting, setIsDeleting] = useState(false)
  const save = useAct()
  const name = (saved.name || saved.id || 'board').slice(0, 60)
  const remove = async () => {
    await deleteRecord('dashboard', saved.uid)
    showToast('Board deleted.')
    navigate('/boards')
  }
  if (isEditing) {
    return (
      <>
        <Button icon="plus" onClick={props.onAdd}>
          Add panel
        </Button>
        <Button onClick={props.onDiscard}>{isChanged ? 'Discard changes' : 'Done'}</Button>
        <Button kind="primary" isBusy={isBusy} disabled={!isChanged} onClick={props.onSave}>
          Save
        </Button>
      </>
    )
  }
  return (
    <>
      <div className={styles.inline}>
        <Select
          label="Range"
          isLabelHidden
          value={props.range}
          choices={[
            { value: '', label: rangeWords(saved.range) },
            ...RANGE_WORDS.filter(([range]) => range !== saved.range).map(([value, label]) => ({
              value,
              label,
            })),
          ]}
          onChoose={(range) => change({ range, from: undefined, until: undefined }, { step: true })}
        />
      </div>
      {zoom.rested !== undefined && (
        <Button icon="zoomOut" onClick={zoom.reset} title={zoomText(zoom.rested)}>
          Reset zoom
        </Button>
      )}
      <Button
        icon="live"
        aria-pressed={isLive}
        onClick={() => change({ live: isLive ? 'off' : undefined })}
      >
        {isLive ? 'Live' : 'Not live'}
      </Button>
      <Button icon="full" onClick={full.enter}>
        Full screen
      </Button>
      {save.error !== undefined && <span role="alert">{save.error.message}</span>}
      {!isReader && (
        <Button kind="primary" icon="edit" onClick={() => change({ edit: '1' })}>
          Edit
        </Button>
      )}
      <MorePanel label="More actions" closesOnAct>
        <Button
          icon="download"
          isBusy={save.isBusy}
          onClick={() => void save.run(() => download(saved))}
        >
          Export
        </Button>
        {!isReader && (
          <Button kind="danger" icon="trash" onClick={() => setIsDeleting(true)}>
            Delete
          </Button>
        )}
      </MorePanel>
      {isDeleting && (
        <ConfirmDelete
          what={`the board “${name}”`}
          name={name}
          onDelete={remove}
          onClose={() => setIsDeleting(false)}
        >
          <p>
            {saved.panelCount === 1 ? 'Its panel is' : `Its ${saved.panelCount} panels are`} deleted
            for everyone. Streams and samples stay.
          </p>
        </ConfirmDelete>
      )}
    </>
  )
}

/** What panels show while the board is zoomed. */
function zoomText({ from, until }: TimeRange): string {
  return zonedRangeText(browserZone(), from, until)
}

/** Gives the board as a file that can be imported elsewhere. */
async function download(saved: Dashboard): Promise<void> {
  const { dashboard } = await call('get', '/api/dashboard/{uid}/export', {
    path: { uid: saved.uid },
  })
  const text = JSON.stringify({ dashboard }, undefined, 2)
  const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = address
  link.download = `${(saved.name || 'board').replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 80)}.json`
  link.click()
  URL.revokeObjectURL(address)
}
