import { type FormEvent, useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import type { Schema } from '../../api/paths.ts'
import { useQuery } from '../../api/use-query.ts'
import type { TimeRange } from '../../chart/time-range.ts'
import type { FoundStream } from '../../state/use-stream.ts'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Field, FormAlert } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import { inputText, readInput } from '../../ui/time/input-time.ts'
import { zonedText } from '../../ui/time/moment-text.ts'
import { TimeField } from '../../ui/time/time-field.tsx'
import { useQuiet } from '../../ui/use-quiet.ts'
import styles from './correction.module.css'
import {
  type AskedCorrection,
  followJob,
  previewCorrection,
  samplesText,
  startCorrection,
  UNDO_SAMPLES_MAX,
} from './correction.ts'

type Preview = Schema<'CorrectionPreview'>
type Action = AskedCorrection['action']
type Job = Schema<'Job'>

interface CorrectDialogProps {
  readonly found: FoundStream
  readonly zone: string
  readonly range: TimeRange
  readonly onDone: (job: Job) => void
  readonly onClose: () => void
}

/** Deletes or changes the samples of a range: first what would happen, then the change with its progress. */
export function CorrectDialog({ found, zone, range, onDone, onClose }: CorrectDialogProps) {
  // Starts with a choice that changes nothing until a value is entered.
  const [action, setAction] = useState<Action | ''>(found.kind === 'number' ? 'offset' : '')
  const [value, setValue] = useState('')
  const [from, setFrom] = useState(() => inputText(zone, range.from))
  // Seconds are cut off: the last sample of the range stays in it.
  const [until, setUntil] = useState(() => inputText(zone, range.until + 999))
  const [error, setError] = useState<string>()
  const [job, setJob] = useState<Job>()
  const asked = readAsked(found, { action, value, from, until, zone })
  const preview = usePreview(found, asked)
  const { sampleCount = 0 } = preview.data ?? {}
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (asked === undefined || sampleCount === 0 || job?.status === 'RUNNING') return
    setError(undefined)
    try {
      const begun = await startCorrection(found, asked)
      setJob(begun)
      const ended = await followJob(begun.uid, setJob)
      if (ended.status === 'FAILED') setError(ended.message)
      else onDone(ended)
    } catch (thrown) {
      setError(asApiError(thrown).message)
    }
    setJob(undefined)
  }
  return (
    <Dialog title="Correct samples" onClose={onClose}>
      <form onSubmit={submit}>
        <div className={styles.range}>
          <TimeField
            label="From"
            value={from}
            onChange={({ currentTarget }) => setFrom(currentTarget.value)}
          />
          <TimeField
            label="Until"
            hint={zone}
            value={until}
            onChange={({ currentTarget }) => setUntil(currentTarget.value)}
          />
        </div>
        <Select
          label="Change"
          value={action}
          choices={choicesOf(found.kind)}
          onChoose={(chosen) => setAction(chosen as Action | '')}
        />
        {action !== 'delete' && action !== '' && (
          <ValueField found={found} value={value} onValue={setValue} />
        )}
        <FormAlert>{error ?? preview.error?.message}</FormAlert>
        <PreviewPart preview={preview.data} zone={zone} />
        {job !== undefined && (
          <p role="status">
            <progress className={styles.progress} max={Math.max(1, job.total)} value={job.done} />
            {samplesText(job.done)} of {job.total.toLocaleString('en-GB')}
          </p>
        )}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind={action === 'delete' ? 'danger' : 'primary'}
            type="submit"
            isBusy={job !== undefined}
            disabled={asked === undefined || sampleCount === 0}
          >
            {action === 'delete' ? 'Delete' : 'Change'}
            {sampleCount > 0 && ` ${samplesText(sampleCount)}`}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

function choicesOf(kind: FoundStream['kind']) {
  const remove = { value: 'delete', label: 'Delete' }
  const set = { value: 'set', label: 'Set to a value' }
  const choose = { value: '', label: 'Choose' }
  if (kind === 'file') return [choose, remove]
  if (kind !== 'number') return [choose, set, remove]
  const offset = { value: 'offset', label: 'Add a value' }
  const scale = { value: 'scale', label: 'Multiply by a factor' }
  return [offset, scale, set, remove]
}

interface ValueFieldProps {
  readonly found: FoundStream
  readonly value: string
  readonly onValue: (value: string) => void
}

function ValueField({ found, value, onValue }: ValueFieldProps) {
  if (found.kind === 'boolean') {
    const choices = ['', 'true', 'false'].map((word) => ({ value: word, label: word || 'Choose' }))
    return <Select label="Value" value={value} choices={choices} onChoose={onValue} />
  }
  return (
    <Field
      label="Value"
      value={value}
      hint={found.kind === 'number' ? found.unit || undefined : undefined}
      inputMode={found.kind === 'number' ? 'decimal' : undefined}
      autoComplete="off"
      onChange={({ currentTarget }) => onValue(currentTarget.value)}
    />
  )
}

/** What is typed as the service takes it; undefined while it is not complete. */
function readAsked(
  { kind }: FoundStream,
  typed: {
    readonly action: Action | ''
    readonly value: string
    readonly from: string
    readonly until: string
    readonly zone: string
  },
): AskedCorrection | undefined {
  const { action, zone } = typed
  const [from, until] = [readInput(zone, typed.from), readInput(zone, typed.until)]
  if (action === '' || Number.isNaN(from) || Number.isNaN(until)) return undefined
  if (action === 'delete') return { action, from, until }
  const text = typed.value.trim()
  if (text === '' && kind !== 'text') return undefined
  if (kind === 'boolean') return { action, from, until, value: text === 'true' }
  if (kind !== 'number') return { action, from, until, value: typed.value }
  const value = Number(text)
  return Number.isNaN(value) ? undefined : { action, from, until, value }
}

function usePreview(found: FoundStream, asked: AskedCorrection | undefined) {
  const text = useQuiet(asked === undefined ? '' : JSON.stringify(asked))
  return useQuery(
    ['correction', found.streamUid, text],
    (signal) => previewCorrection(found, JSON.parse(text), signal),
    { isOff: text === '', keepPrevious: text !== '' },
  )
}

interface PreviewProps {
  readonly preview: Preview | undefined
  readonly zone: string
}

function PreviewPart({ preview, zone }: PreviewProps) {
  if (preview === undefined) return null
  const { sampleCount, canUndo, samples } = preview
  const columns: Column<Preview['samples'][number]>[] = [
    { id: 'time', label: 'Time', show: ({ time }) => zonedText(zone, time) },
    { id: 'before', label: 'Before', isNumber: true, show: ({ before }) => shownOf(before) },
    {
      id: 'after',
      label: 'After',
      isNumber: true,
      show: ({ after }) => (after === null ? 'deleted' : shownOf(after)),
    },
  ]
  return (
    <>
      <p role="status" className={styles.count}>
        {sampleCount === 0 ? 'No samples in this range.' : samplesText(sampleCount)}
        {sampleCount > 0 && (canUndo ? '. Can be undone for 24 hours.' : '. Cannot be undone')}
        {sampleCount > UNDO_SAMPLES_MAX && ': more than 1,000,000 samples.'}
        {sampleCount > 0 && !canUndo && sampleCount <= UNDO_SAMPLES_MAX && ': files are deleted.'}
      </p>
      {samples.length > 0 && (
        <DataTable
          isDense
          label="First and last samples"
          columns={columns}
          rows={samples}
          keyOf={({ time }) => String(time)}
        />
      )}
    </>
  )
}

const SHOWN_LENGTH = 60

function shownOf(value: number | string | boolean): string {
  return String(value).slice(0, SHOWN_LENGTH)
}
