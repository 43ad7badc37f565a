import { useEffect, useRef, useState } from 'react'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Field, TextArea } from '../../../ui/field.tsx'
import type { StreamDraft } from '../stream-draft.ts'
import styles from './label-fields.module.css'
import {
  areOf,
  LABELS_MAX,
  type LabelRow,
  labelsOf,
  mistakeIn,
  newRow,
  rowsOf,
} from './label-rows.ts'

interface LabelFieldsProps {
  readonly labels: StreamDraft['labels']
  readonly error: string | undefined
  readonly onChange: (labels: NonNullable<StreamDraft['labels']>) => void
}

/** The labels of a stream, a row each. */
export function LabelFields({ labels, error, onChange }: LabelFieldsProps) {
  const [known, setRows] = useState(() => rowsOf(labels))
  const [added, setAdded] = useState<number>()
  const add = useRef<HTMLButtonElement>(null)
  // What is saved or discarded comes from outside.
  const rows = areOf(known, labels) ? known : rowsOf(labels)
  if (rows !== known) setRows(rows)
  const change = (next: readonly LabelRow[]) => {
    setRows([...next])
    onChange(labelsOf(next))
  }
  const addRow = () => {
    const row = newRow()
    setAdded(row.key)
    change([...rows, row])
  }
  return (
    <fieldset className={styles.labels}>
      <legend>Labels</legend>
      <p className={styles.hint}>
        Names and values that describe the stream, such as site and north. A label without a value
        is removed.
      </p>
      {rows.map((row, at) => (
        <LabelRowFields
          key={row.key}
          row={row}
          number={at + 1}
          mistake={mistakeIn(rows, row)}
          isNew={row.key === added}
          onChange={(next) => change(rows.map((one) => (one === row ? next : one)))}
          onRemove={() => {
            change(rows.filter((one) => one !== row))
            add.current?.focus()
          }}
        />
      ))}
      {error !== undefined && (
        <p className={styles.error} role="alert">
          {error}
        </p>
      )}
      <div className={styles.add}>
        <Button ref={add} icon="plus" disabled={rows.length >= LABELS_MAX} onClick={addRow}>
          Add label
        </Button>
        {rows.length >= LABELS_MAX && (
          <span className={styles.hint}>A stream can have at most {LABELS_MAX} labels.</span>
        )}
      </div>
    </fieldset>
  )
}

interface LabelRowProps {
  readonly row: LabelRow
  readonly number: number
  readonly mistake: string | undefined
  readonly isNew: boolean
  readonly onChange: (row: LabelRow) => void
  readonly onRemove: () => void
}

function LabelRowFields(props: LabelRowProps) {
  const { row, number, mistake, isNew, onChange, onRemove } = props
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isNew) place.current?.querySelector('input')?.focus()
  }, [isNew])
  useEffect(() => {
    // The form is not sent while a field of it is invalid.
    place.current?.querySelector('input')?.setCustomValidity(mistake ?? '')
  }, [mistake])
  return (
    <div ref={place} className={styles.row}>
      <Field
        label={`Name of label ${number}`}
        isLabelHidden
        placeholder="Name"
        dir="auto"
        autoComplete="off"
        spellCheck={false}
        value={row.name}
        error={mistake}
        onChange={(event) => onChange({ ...row, name: event.currentTarget.value })}
      />
      <TextArea
        label={`Value of label ${number}`}
        isLabelHidden
        placeholder="Value"
        className={styles.value}
        rows={1}
        dir="auto"
        spellCheck={false}
        value={row.value}
        onChange={(event) => onChange({ ...row, value: event.currentTarget.value })}
      />
      <IconButton icon="trash" label={`Remove label ${row.name || number}`} onClick={onRemove} />
    </div>
  )
}
