import { useState } from 'react'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog.tsx'
import { Field, FormAlert, TextArea } from '../../../ui/field.tsx'
import { Select } from '../../../ui/select.tsx'
import styles from '../board.module.css'
import { PANEL_KINDS, type Panel, type PanelStream } from '../board-types.ts'
import { RangeField } from '../range-field.tsx'
import { AlertsFields } from './alerts-fields.tsx'
import { PanelOptions } from './panel-options.tsx'
import { PanelPreview } from './panel-preview.tsx'
import { QueryFields } from './query-fields.tsx'
import { useStreamFacts } from './stream-facts.ts'
import { StreamPicker } from './stream-picker.tsx'

interface PanelEditorProps {
  readonly title: string
  readonly panel: Panel
  /** Whether it is not on the board yet: then it is as large as its kind begins. */
  readonly isNew: boolean
  /** What the service said about a field of the panel, when it was last saved. */
  readonly errorOf: (field: string) => string | undefined
  /** What the board shows; counts where the panel has no range of its own. */
  readonly boardRange: string
  readonly onDone: (panel: Panel) => void
  readonly onClose: () => void
}

const STREAMS_MAX = 20
/** Kinds of panels that show no streams. */
const STREAMLESS: ReadonlySet<string> = new Set(['text', 'query', 'alerts'])

/** What a panel shows: its kind, title, streams and what its kind needs. */
export function PanelEditor({
  title,
  panel: given,
  isNew,
  errorOf,
  boardRange,
  onDone,
  onClose,
}: PanelEditorProps) {
  const [panel, setPanel] = useState(given)
  const set = (changes: Partial<Panel>) => setPanel((now) => ({ ...now, ...changes }))
  const [isTried, setIsTried] = useState(false)
  const isText = panel.kind === 'text'
  const lacksStream = !STREAMLESS.has(panel.kind) && panel.streams.length === 0
  return (
    <Dialog title={title} onClose={onClose} isWide>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          setIsTried(true)
          if (!lacksStream) onDone(panel)
        }}
      >
        <div className={styles.side}>
          <Field
            label="Title"
            value={panel.title}
            error={errorOf('title')}
            autoComplete="off"
            onChange={(event) => set({ title: event.currentTarget.value })}
          />
          <Select
            label="Panel type"
            value={panel.kind}
            error={errorOf('kind')}
            choices={PANEL_KINDS.map(({ kind, label }) => ({ value: kind, label }))}
            onChoose={(chosen) => {
              const found = PANEL_KINDS.find(({ kind }) => kind === chosen)
              if (found !== undefined) set({ kind: found.kind, ...(isNew ? found.size : {}) })
            }}
          />
        </div>
        {isText ? (
          <TextArea
            label="Text"
            rows={6}
            value={panel.text}
            error={errorOf('text')}
            onChange={(event) => set({ text: event.currentTarget.value })}
          />
        ) : panel.kind === 'alerts' ? (
          <AlertsFields
            alerts={panel.alerts}
            errorOf={errorOf}
            onChange={(alerts) => set({ alerts })}
          />
        ) : panel.kind === 'query' ? (
          <>
            <QueryFields
              query={panel.query}
              errorOf={errorOf}
              onChange={(query) => set({ query })}
            />
            <div className={styles.side}>
              <RangeField
                label="Range (for queries with @FROM and @UNTIL)"
                blank="Same as board"
                value={panel.range}
                error={errorOf('range')}
                onChange={(range) => set({ range })}
              />
            </div>
          </>
        ) : (
          <>
            <ChosenStreams streams={panel.streams} onChange={(streams) => set({ streams })} />
            {panel.streams.length < STREAMS_MAX && (
              <StreamPicker
                onPick={(stream) => {
                  const isThere = panel.streams.some((one) => one.streamUid === stream.streamUid)
                  if (!isThere) set({ streams: [...panel.streams, stream] })
                }}
              />
            )}
            <div className={styles.side}>
              {(panel.kind === 'chart' || panel.kind === 'table') && (
                <RangeField
                  label="Range"
                  blank="Same as board"
                  value={panel.range}
                  error={errorOf('range')}
                  onChange={(range) => set({ range })}
                />
              )}
              <PanelOptions panel={panel} errorOf={errorOf} onChange={set} />
            </div>
          </>
        )}
        {lacksStream ? (
          isTried && <FormAlert>Choose at least one stream for this panel.</FormAlert>
        ) : (
          <PanelPreview panel={panel} boardRange={boardRange} />
        )}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit">
            Add to board
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

function ChosenStreams({
  streams,
  onChange,
}: {
  readonly streams: readonly PanelStream[]
  readonly onChange: (streams: PanelStream[]) => void
}) {
  if (streams.length === 0) return <p className={styles.note}>No stream chosen yet.</p>
  return (
    <ul className={styles.streams} aria-label="Streams of the panel">
      {streams.map((stream) => (
        <ChosenStream
          key={`${stream.componentUid}/${stream.streamUid}`}
          stream={stream}
          onRemove={() => onChange(streams.filter((one) => one !== stream))}
        />
      ))}
    </ul>
  )
}

function ChosenStream({
  stream,
  onRemove,
}: {
  readonly stream: PanelStream
  readonly onRemove: () => void
}) {
  const { facts, isGone } = useStreamFacts(stream)
  const name = isGone
    ? `${stream.label || 'A stream'} (deleted)`
    : facts === undefined
      ? 'Stream'
      : `${facts.componentName} · ${facts.name}`
  return (
    <li>
      <span className={styles.name}>{name}</span>
      <IconButton icon="close" label={`Remove ${name.slice(0, 80)}`} onClick={onRemove} />
    </li>
  )
}
