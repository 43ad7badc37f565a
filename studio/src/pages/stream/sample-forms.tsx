import { type FormEvent, useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { call } from '../../api/client.ts'
import type { PlotValue } from '../../chart/chart-series.ts'
import type { FoundStream } from '../../state/use-stream.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Field, FormAlert, TextArea } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import { inputText, readInput } from '../../ui/time/input-time.ts'
import { zonedText } from '../../ui/time/moment-text.ts'
import { TimeField } from '../../ui/time/time-field.tsx'

/** A sample that is shown in the table. */
export interface EditedSample {
  readonly time: number
  readonly data: PlotValue
  readonly fData?: string
  /** Where its interval starts. */
  readonly sdTime?: number
}

interface FormProps {
  readonly found: FoundStream
  readonly zone: string
  readonly sample: EditedSample
  readonly onDone: () => void
  readonly onClose: () => void
}

/** Changes the value of a sample, or adds one. */
export function SampleForm({
  found,
  zone,
  sample,
  isNew,
  onDone,
  onClose,
}: FormProps & { readonly isNew: boolean }) {
  const [value, setValue] = useState(() => firstValue(found, sample))
  const [when, setWhen] = useState(() => inputText(zone, sample.time))
  const [error, setError] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (isBusy) return
    const time = isNew ? readInput(zone, when) : sample.time
    if (Number.isNaN(time)) return setError('Enter a time, such as 2026-11-15 16:31:48.')
    setIsBusy(true)
    try {
      const { componentUid, streamUid } = found
      const stream = [{ streamUid, time: [time], data: [value] }]
      await call('put', '/api/feed', { body: { feed: { component: [{ componentUid, stream }] } } })
      onDone()
    } catch (thrown) {
      setError(asApiError(thrown).message)
      setIsBusy(false)
    }
  }
  const at = zonedText(zone, sample.time)
  return (
    <Dialog title={isNew ? 'Add sample' : `Sample of ${at}`} onClose={onClose}>
      <form onSubmit={submit}>
        {isNew && (
          <TimeField
            label="Time"
            hint={zone}
            value={when}
            onChange={(event) => setWhen(event.currentTarget.value)}
          />
        )}
        <ValueField kind={found.kind} value={value} error={error} onValue={setValue} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={isBusy}>
            Save
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

interface ValueFieldProps {
  readonly kind: FoundStream['kind']
  readonly value: string
  readonly error: string | undefined
  readonly onValue: (value: string) => void
}

function ValueField({ kind, value, error, onValue }: ValueFieldProps) {
  if (kind === 'boolean') {
    const choices = ['true', 'false'].map((word) => ({ value: word, label: word }))
    return <Select label="Value" value={value} error={error} choices={choices} onChoose={onValue} />
  }
  const common = { label: 'Value', value, error, 'data-autofocus': true }
  if (kind === 'text') {
    return (
      <TextArea {...common} rows={4} onChange={(event) => onValue(event.currentTarget.value)} />
    )
  }
  return (
    <Field
      {...common}
      inputMode="decimal"
      autoComplete="off"
      onChange={(event) => onValue(event.currentTarget.value)}
    />
  )
}

/** Asks, then deletes one sample. */
export function SampleDelete({ found, zone, sample, onDone, onClose }: FormProps) {
  const [error, setError] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  const remove = async () => {
    setIsBusy(true)
    try {
      const { componentUid, streamUid } = found
      // An interval is shown where it overlaps, a sample at its time.
      const range =
        sample.sdTime === undefined
          ? { sd: sample.time, ed: sample.time + 1 }
          : { sd: sample.sdTime, ed: sample.time }
      await call('delete', '/api/component/{componentUid}/stream/{uid}/feed', {
        path: { componentUid, uid: streamUid },
        query: range,
      })
      onDone()
    } catch (thrown) {
      setError(asApiError(thrown).message)
      setIsBusy(false)
    }
  }
  return (
    <Dialog title="Delete this sample?" onClose={onClose}>
      <p>
        {zonedText(zone, sample.time)}, <strong>{String(sample.data).slice(0, 200)}</strong>. This
        cannot be undone.
      </p>
      <FormAlert>{error}</FormAlert>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="danger" isBusy={isBusy} onClick={remove}>
          Delete
        </Button>
      </DialogActions>
    </Dialog>
  )
}

function firstValue({ kind }: FoundStream, { data }: EditedSample): string {
  if (data !== null) return String(data)
  return kind === 'boolean' ? 'true' : ''
}
