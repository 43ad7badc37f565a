import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Moment } from '../../ui/time/moment.tsx'
import styles from './connect.module.css'
import type { DryRun } from './try-out.ts'

type Sample = DryRun['samples'][number]
type Numbered = Sample & { readonly at: number }

/** Rows in sight; the rest is counted. */
const SHOWN_MAX = 100
const CREATED_MAX = 20
const VALUE_MAX = 200

const columns: ReadonlyArray<Column<Numbered>> = [
  { id: 'cid', label: 'Component', show: ({ cid }) => <span className={styles.name}>{cid}</span> },
  { id: 'id', label: 'Stream', show: ({ id }) => <span className={styles.name}>{id}</span> },
  { id: 'time', label: 'Time', show: ({ time }) => <Moment time={time} /> },
  {
    id: 'sample',
    label: 'Value',
    isNumber: true,
    show: ({ sample }) => (
      <span className={styles.name}>{String(sample ?? '').slice(0, VALUE_MAX)}</span>
    ),
  },
]

/** What a dry run would store. */
export function DryRunRows({ of: { samples, sampleCount, created } }: { readonly of: DryRun }) {
  const rows = samples.slice(0, SHOWN_MAX).map((sample, at) => ({ ...sample, at }))
  const count = sampleCount.toLocaleString()
  return (
    <div className={styles.part} role="status">
      <p className={styles.fine}>
        {sampleCount === 0 && 'Stores no samples.'}
        {sampleCount === 1 && 'Stores 1 sample.'}
        {sampleCount > 1 && `Stores ${count} samples.`}
        {created.length > 0 && ` ${createdText(created)}`}
      </p>
      {rows.length > 0 && (
        <DataTable
          label="Samples of the dry run"
          isDense
          rows={rows}
          keyOf={({ at }) => String(at)}
          columns={columns}
        />
      )}
      {sampleCount > rows.length && (
        <p className={styles.soft}>
          Showing the first {rows.length} of {count}.
        </p>
      )}
    </div>
  )
}

function createdText(created: DryRun['created']): string {
  const names = created.slice(0, CREATED_MAX).map(({ compId, streamId, isNewComponent }) => {
    const of = isNewComponent ? `the new component ${compId}` : compId
    return `${streamId} of ${of}`
  })
  const more = created.length - names.length
  return `Creates ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`
}
