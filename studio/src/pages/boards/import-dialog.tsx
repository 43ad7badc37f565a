import { useState } from 'react'
import { call } from '../../api/client.ts'
import type { BodyOf, Schema } from '../../api/paths.ts'
import { queries } from '../../api/query-cache.ts'
import { recordKey } from '../../api/records.ts'
import { useAct } from '../../api/use-act.ts'
import { navigate } from '../../app/place.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Field, FormAlert } from '../../ui/field.tsx'
import { showToast } from '../../ui/toast.tsx'
import styles from './board.module.css'
import type { PanelStream } from './board-types.ts'
import { useStreamFacts } from './panels/stream-facts.ts'
import { StreamPicker } from './panels/stream-picker.tsx'

type ImportBody = BodyOf<'/api/dashboard/import', 'put'>
type File = ImportBody['dashboard']
type Missing = Schema<'ExportedPanelStream'>

/** Longer files are no boards: the service takes a hundred thousand bytes. */
const FILE_BYTES_MAX = 1_000_000

/** What every board says of itself in a file. */
const FILE_FORMAT = 'weir-dashboard'

/** What was read, and what the service does not find of it. */
interface Trial {
  readonly file: File
  readonly missing: readonly Missing[]
}

const keyOf = ({ componentId, streamId, streamUid }: Missing) =>
  JSON.stringify([componentId, streamId, streamUid])

/** Makes a board of a file; streams that are missing here are named, and others can take their place. */
export function ImportDialog({ onClose }: { readonly onClose: () => void }) {
  const [trial, setTrial] = useState<Trial>()
  const [chosen, setChosen] = useState<ReadonlyMap<string, PanelStream>>(new Map())
  const [name, setName] = useState('')
  const look = useAct()
  const lookAt = (given: Blob) =>
    look.run(async () => {
      setTrial(undefined)
      const file = await readFile(given)
      const body = { dashboard: file, isTrial: true }
      const { missing } = await call('put', '/api/dashboard/import', { body })
      setName(file.name ?? '')
      setChosen(new Map())
      setTrial({ file, missing })
    })
  const make = useAct()
  const makeNow = () =>
    make.run(async () => {
      if (trial === undefined) return
      const { dashboard } = await call('put', '/api/dashboard/import', {
        body: { dashboard: { ...trial.file, name }, map: mapOf(trial.missing, chosen) },
      })
      queries.invalidate(recordKey('dashboard'))
      showToast('Board imported.')
      onClose()
      navigate(`/boards/${dashboard.uid}`)
    })
  // An ID that is taken here can be left out; the name is what people see.
  const isTaken = make.error?.code === 'claim_taken'
  return (
    <Dialog title="Import board" onClose={onClose} isWide>
      <Field
        label="Exported board (JSON file)"
        type="file"
        accept="application/json,.json"
        error={look.error?.message}
        onChange={async (event) => {
          const [file] = event.currentTarget.files ?? []
          if (file === undefined) return
          await lookAt(file)
        }}
      />
      {trial !== undefined && (
        <>
          <Field
            label="Name"
            value={name}
            error={make.errorAt('name')}
            autoComplete="off"
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <p className={styles.note}>
            {trial.file.panels.length === 1 ? 'One panel.' : `${trial.file.panels.length} panels.`}{' '}
            {trial.missing.length === 0
              ? 'All streams were found.'
              : 'These streams do not exist here. Choose a replacement for each, or leave it out:'}
          </p>
          {trial.missing.map((one) => (
            <MissingStream
              key={keyOf(one)}
              missing={one}
              chosen={chosen.get(keyOf(one))}
              onChoose={(stream) => setChosen(new Map(chosen).set(keyOf(one), stream))}
            />
          ))}
        </>
      )}
      <FormAlert>{make.errorBeside('name')}</FormAlert>
      <DialogActions>
        {isTaken && trial !== undefined && (
          <Button
            onClick={() => {
              setTrial({ ...trial, file: { ...trial.file, id: '' } })
              make.clear()
            }}
          >
            Import without the ID
          </Button>
        )}
        <Button onClick={onClose}>Cancel</Button>
        <Button
          kind="primary"
          disabled={trial === undefined}
          isBusy={make.isBusy}
          onClick={() => void makeNow()}
        >
          Import
        </Button>
      </DialogActions>
    </Dialog>
  )
}

interface MissingStreamProps {
  readonly missing: Missing
  readonly chosen: PanelStream | undefined
  readonly onChoose: (stream: PanelStream) => void
}

function MissingStream({ missing, chosen, onChoose }: MissingStreamProps) {
  const ids = `${missing.componentId || missing.componentUid} / ${missing.streamId || missing.streamUid}`
  return (
    <fieldset className={styles.missing}>
      <legend className={styles.name}>{ids}</legend>
      {chosen !== undefined && <Instead stream={chosen} />}
      {missing.componentId === '' || missing.streamId === '' ? (
        <p className={styles.note}>The file has no ID for this stream, so it is left out.</p>
      ) : (
        <StreamPicker label="Replacement: component or stream" onPick={onChoose} />
      )}
    </fieldset>
  )
}

function Instead({ stream }: { readonly stream: PanelStream }) {
  const { facts } = useStreamFacts(stream)
  if (facts === undefined) return null
  return (
    <p className={styles.note}>
      Replacement: {facts.componentName} · {facts.name}
    </p>
  )
}

/** The board in a file, as Export wraps it or bare; a file that is no board is reported here. */
async function readFile(given: Blob): Promise<File> {
  if (given.size > FILE_BYTES_MAX)
    throw new Error(
      'This file is too large for a board. Choose a file that was exported from a board.',
    )
  let parsed: unknown
  try {
    parsed = JSON.parse(await given.text())
  } catch {
    throw new Error('This file is not JSON. Choose a file that was exported from a board.')
  }
  const { dashboard = parsed } = (parsed ?? {}) as { dashboard?: unknown }
  const { format } = (dashboard ?? {}) as { format?: unknown }
  if (format !== FILE_FORMAT)
    throw new Error('This file contains no board. Choose a file that was exported from a board.')
  return dashboard as File
}

function mapOf(missing: readonly Missing[], chosen: ReadonlyMap<string, PanelStream>) {
  return missing.flatMap((one) => {
    const stream = chosen.get(keyOf(one))
    const { componentId, streamId } = one
    return stream === undefined ? [] : [{ componentId, streamId, ...stream }]
  })
}
