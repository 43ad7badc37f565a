import { useRef, useState } from 'react'
import { queries } from '../../api/query-cache.ts'
import { recordKey, saveRecord } from '../../api/records.ts'
import { useRole } from '../../api/session.ts'
import { useAct } from '../../api/use-act.ts'
import { Breadcrumbs } from '../../app/breadcrumbs.tsx'
import { useAddress } from '../../app/place.ts'
import { useDraft } from '../../state/draft.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { PageFrame } from '../../ui/page-frame.tsx'
import { showToast } from '../../ui/toast.tsx'
import styles from './board.module.css'
import { BoardActions } from './board-actions.tsx'
import { BoardGrid } from './board-grid.tsx'
import { BoardSettings } from './board-settings.tsx'
import { blankPanel, type Dashboard, type Panel, panelName } from './board-types.ts'
import { useBoardChoice } from './board-variable.ts'
import { useBoardZoom, ZoomContext } from './board-zoom.ts'
import { findPlace } from './grid-layout.ts'
import { LiveContext, useLiveValues } from './live-board.ts'
import { withLabels } from './panel-labels.ts'
import { PanelEditor } from './panels/panel-editor.tsx'
import { useFullScreen } from './use-full-screen.ts'
import { VariablePicker } from './variable-picker.tsx'

/** A board: looked at, live and full screen, or edited and saved. */
export function Board({ saved }: { readonly saved: Dashboard }) {
  const isReader = useRole() === 'GUEST'
  const { query, change } = useAddress()
  const isEditing = !isReader && query.get('edit') !== null
  const isLive = query.get('live') !== 'off'
  const range = query.get('range') ?? ''
  const draft = useDraft(`dashboard/${saved.uid}`, saved)
  const board = draft.value
  const panels = board.panels ?? []
  const choice = useBoardChoice(board, isEditing)
  const shown = choice?.panels ?? panels
  const place = useRef<HTMLDivElement>(null)
  const full = useFullScreen(place)
  const values = useLiveValues(
    shown.flatMap(({ streams }) => streams),
    { isLive, isAll: isLive && shown.some(({ kind }) => kind === 'table') },
  )
  const zoom = useBoardZoom()
  /** The place of the panel that is edited; behind the last one: a new one. */
  const [edited, setEdited] = useState<number>()
  const save = useAct()
  const saveNow = (isOver: boolean) =>
    save.run(async () => {
      const known = isOver ? {} : { revision: draft.revision }
      const { panels: changed } = draft.changes
      const labelled = changed === undefined ? {} : { panels: await withLabels(changed) }
      const fields = { ...draft.changes, ...labelled, ...known }
      const made = await saveRecord('dashboard', saved.uid, fields)
      queries.put(recordKey('dashboard', made.uid), made)
      draft.discard()
      showToast('Board saved.')
      change({ edit: undefined })
    })
  const setPanels = (next: readonly Panel[]) => draft.set({ panels: [...next] })
  const drop = (next: readonly Panel[]) => {
    setPanels(next)
    // Others see it when it is saved.
    change({ edit: '1' })
    showToast('Stream removed. Save the board to keep the change.')
  }
  const field = /^panels\[(\d+)\]\.?(.*)$/.exec(save.error?.field ?? '')
  const wrongAt = field === null ? undefined : Number(field[1])
  const put = (panel: Panel) => {
    if (edited === undefined) return
    const isNew = edited >= panels.length
    const placed = isNew ? { ...panel, ...findPlace(panels, panel) } : panel
    setPanels(isNew ? [...panels, placed] : panels.map((one, at) => (at === edited ? placed : one)))
    setEdited(undefined)
  }
  return (
    <PageFrame
      title={board.name || board.id || 'Board'}
      above={<Breadcrumbs of={[{ to: '/boards', label: 'Boards' }]} />}
      actions={
        <BoardActions
          saved={saved}
          isReader={isReader}
          isEditing={isEditing}
          isLive={isLive}
          range={range}
          zoom={zoom}
          full={full}
          isChanged={draft.isChanged}
          isBusy={save.isBusy}
          onAdd={() => setEdited(panels.length)}
          onSave={() => void saveNow(false)}
          onDiscard={() => {
            draft.discard()
            save.clear()
            change({ edit: undefined })
          }}
        />
      }
    >
      <LiveContext value={values}>
        <div ref={place} className={styles.board} data-full={full.isCovering || undefined}>
          {full.isOn && (
            <div className={styles.fullBar}>
              <h2 className={styles.name}>{board.name || board.id}</h2>
              <Button icon="close" onClick={full.leave}>
                Exit full screen
              </Button>
            </div>
          )}
          {isEditing && (
            <BoardSettings
              board={board}
              error={save.error}
              onChange={draft.set}
              onSaveOver={() => void saveNow(true)}
              wrong={
                wrongAt === undefined || panels[wrongAt] === undefined
                  ? undefined
                  : {
                      name: panelName(panels[wrongAt], wrongAt),
                      onEdit: () => setEdited(wrongAt),
                    }
              }
            />
          )}
          {!isEditing && draft.isChanged && (
            <p className={styles.note}>
              This board has unsaved changes. Choose Edit to save or discard them.
            </p>
          )}
          {panels.length === 0 && (
            <Empty text="No panels. A board shows charts, gauges, last values, tables, and text side by side.">
              {!isReader && (
                <Button
                  kind="primary"
                  icon="plus"
                  onClick={() => {
                    change({ edit: '1' })
                    setEdited(0)
                  }}
                >
                  Add first panel
                </Button>
              )}
            </Empty>
          )}
          {choice !== undefined && <VariablePicker choice={choice} />}
          <ZoomContext value={zoom}>
            <BoardGrid
              panels={shown}
              range={range || board.range}
              isLive={isLive}
              edit={isEditing ? { onChange: setPanels, onEdit: setEdited } : undefined}
              onDrop={isReader || shown !== panels ? undefined : drop}
            />
          </ZoomContext>
        </div>
      </LiveContext>
      {edited !== undefined && isEditing && (
        <PanelEditor
          title={edited >= panels.length ? 'New panel' : 'Edit panel'}
          panel={panels[edited] ?? blankPanel('chart')}
          isNew={edited >= panels.length}
          errorOf={(asked) =>
            wrongAt === edited && field?.[2] === asked ? save.error?.message : undefined
          }
          boardRange={range || board.range}
          onDone={put}
          onClose={() => setEdited(undefined)}
        />
      )}
    </PageFrame>
  )
}
