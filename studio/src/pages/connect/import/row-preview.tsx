import { useState } from 'react'
import { call } from '../../../api/client.ts'
import type { Schema } from '../../../api/paths.ts'
import { useAct } from '../../../api/use-act.ts'
import { Button } from '../../../ui/button.tsx'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { FormAlert } from '../../../ui/field.tsx'
import styles from '../connect.module.css'
import type { Connector } from '../connector-types.ts'

type Preview = Schema<'RowPreview'>

interface NumberedRow {
  readonly at: number
  readonly cells: Preview['rows'][number]
}

/** The first rows of the External SQL as the page shows it, saved or not. */
export function RowPreview({ value }: { readonly value: Connector }) {
  const connection = value.connection?.uid ?? ''
  const externalSql = value.externalSql ?? ''
  const [found, setFound] = useState<{ readonly of: string; readonly preview: Preview }>()
  const act = useAct()
  const asked = JSON.stringify([connection, externalSql])
  const preview = found?.of === asked ? found.preview : undefined
  const run = () =>
    act.run(async () => {
      setFound(undefined)
      const body = { preview: { connection: { uid: connection }, externalSql } }
      const answer = await call('post', '/api/connector/import_preview', { body })
      setFound({ of: asked, preview: answer.preview })
    })
  return (
    <section className={`${styles.part} ${styles.whole}`} aria-label="Row preview">
      <div className={styles.row}>
        <Button
          isBusy={act.isBusy}
          disabled={connection === '' || externalSql.trim() === ''}
          onClick={() => void run()}
        >
          Preview rows
        </Button>
        <span className={styles.soft} role="status">
          {statusText(act.isBusy, preview)}
        </span>
      </div>
      <FormAlert>
        {act.error?.message ?? (preview?.isOk === false ? preview.message : undefined)}
      </FormAlert>
      {preview !== undefined && preview.rows.length > 0 && (
        <DataTable<NumberedRow>
          label="Rows of the External SQL"
          isDense
          columns={columnsOf(preview)}
          rows={preview.rows.map((cells, at) => ({ at, cells }))}
          keyOf={({ at }) => String(at)}
        />
      )}
    </section>
  )
}

function statusText(isBusy: boolean, preview: Preview | undefined): string {
  if (isBusy) return 'Running the query (up to 30 seconds) …'
  if (preview === undefined) return 'Runs the External SQL as shown here. Stores nothing.'
  if (!preview.isOk) return ''
  const { length } = preview.rows
  if (length === 0) return 'The query returns no rows.'
  if (preview.hasMore) return `The first ${length} rows.`
  return length === 1 ? '1 row.' : `${length} rows.`
}

function columnsOf({ columns }: Preview): ReadonlyArray<Column<NumberedRow>> {
  return columns.map((label, at) => ({
    // Databases may name two columns alike.
    id: String(at),
    label,
    show: ({ cells }) =>
      cells[at] === null ? (
        <span className={styles.soft}>NULL</span>
      ) : (
        <span className={styles.name}>{cells[at]}</span>
      ),
  }))
}
