import { useState } from 'react'
import type { ApiError } from '../../../api/api-error.ts'
import { call } from '../../../api/client.ts'
import type { Schema } from '../../../api/paths.ts'
import { useQuery } from '../../../api/use-query.ts'
import { Button } from '../../../ui/button.tsx'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { Moment } from '../../../ui/time/moment.tsx'
import { useQuiet } from '../../../ui/use-quiet.ts'
import type { StreamDraft } from '../stream-draft.ts'
import { isComplete } from './derivation-draft.ts'
import styles from './derive.module.css'
import { failureWords, valueWords } from './value-words.ts'

type Row = Schema<'DerivationPreview'>['rows'][number]

/** Rows that are shown at first. */
const FIRST_ROWS = 8

interface PreviewPanelProps {
  readonly componentUid: string
  readonly zone: string | undefined
  readonly stream: StreamDraft
}

/** The results of the unsaved formula for the newest samples. */
export function PreviewPanel({ componentUid, zone, stream }: PreviewPanelProps) {
  const { uid, streamType, valueType, baseCycle, derivation } = stream
  const text = useQuiet(JSON.stringify({ uid, streamType, valueType, baseCycle, derivation }))
  // What is asked for is the text as it was left alone, which may be complete later, or still be so.
  const asked: Pick<StreamDraft, 'derivation'> = JSON.parse(text)
  const isOff = [derivation, asked.derivation].some((one) => one == null || !isComplete(one))
  const { data, error } = useQuery(
    ['stream', componentUid, 'preview', text],
    (signal) =>
      call('post', '/api/component/{componentUid}/stream/preview', {
        path: { componentUid },
        body: { stream: JSON.parse(text) },
        signal,
      }),
    { isOff, keepPrevious: true },
  )
  return (
    <section className={styles.preview} aria-label="Preview">
      <p className={styles.title}>Preview</p>
      {isOff && (
        <p className={styles.note}>Enter a formula and choose a stream for every variable.</p>
      )}
      {!isOff && error !== undefined && <Refused error={error} />}
      {!isOff && error === undefined && data !== undefined && (
        <Results preview={data.preview} zone={zone} isAll={derivation?.trigger === 'ALL'} />
      )}
    </section>
  )
}

function Refused({ error }: { readonly error: ApiError }) {
  // What is wrong with the formula stands at the formula.
  if (error.field === 'derivation.expression') {
    return <p className={styles.note}>Correct the formula to see results.</p>
  }
  return <p className={styles.soft}>{error.message}</p>
}

interface ResultsProps {
  readonly preview: Schema<'DerivationPreview'>
  readonly zone: string | undefined
  readonly isAll: boolean
}

function Results({ preview, zone, isAll }: ResultsProps) {
  const [isLong, setIsLong] = useState(false)
  const { rows, isCut } = preview
  if (rows.length === 0) {
    return (
      <p className={styles.note}>
        {isAll
          ? 'No results. Some variables have no samples.'
          : 'No results. There are no samples.'}
      </p>
    )
  }
  const more = rows.length - FIRST_ROWS
  return (
    <>
      <DataTable<Row>
        label="Results"
        isDense
        columns={columnsOf(zone)}
        rows={isLong ? rows : rows.slice(0, FIRST_ROWS)}
        keyOf={({ time }) => String(time)}
      />
      {more > 0 && !isLong && (
        <div className={styles.tools}>
          <Button onClick={() => setIsLong(true)}>Show {more} more</Button>
        </div>
      )}
      {isCut && (
        <p className={styles.note}>
          Older results are not shown because they took too long to calculate.
        </p>
      )}
    </>
  )
}

const columnsOf = (zone: string | undefined): ReadonlyArray<Column<Row>> => [
  { id: 'time', label: 'Time', show: ({ time }) => <Moment time={time} zone={zone} /> },
  {
    id: 'value',
    label: 'Result',
    show: ({ value, error, values }) =>
      error === '' ? (
        <span className={styles.value}>{valueWords(value)}</span>
      ) : (
        <span className={styles.failed}>{failureWords(error, values)}</span>
      ),
  },
]
