import { useMemo } from 'react'
import { listRecords, recordKey } from '../../../api/records.ts'
import { useQuery } from '../../../api/use-query.ts'
import { Link } from '../../../app/link.tsx'
import { CodeEditor } from '../../../ui/editor/code-editor.tsx'
import { Checkbox, Field } from '../../../ui/field.tsx'
import { missingOf } from '../../../ui/missing.tsx'
import { Select } from '../../../ui/select.tsx'
import type { FieldsProps } from '../../build/form.ts'
import { languageOf } from '../../query/sql-language.ts'
import { useGqlLanguage } from '../../query/use-gql-editor.ts'
import styles from '../connect.module.css'
import { nameOf } from '../connection/connection-words.ts'
import type { Connector } from '../connector-types.ts'
import { RowPreview } from './row-preview.tsx'
import { ScheduleField } from './schedule-field.tsx'
import { startingImports } from './starting-imports.ts'

interface ImportFieldsProps extends FieldsProps<Connector> {
  /** Whether the service has the schedule as it is shown. */
  readonly isScheduleSaved: boolean
  readonly isReadOnly: boolean
}

/** What an import reads, and when. */
export function ImportFields(props: ImportFieldsProps) {
  const { value, set, errorOf, isReadOnly } = props
  const words = useGqlLanguage()
  const language = useMemo(() => languageOf(words), [words])
  return (
    <>
      <ConnectionField {...props} />
      <Field
        label="Row limit"
        hint="0 = no limit"
        type="number"
        min={0}
        value={value.maxRows ?? 0}
        error={errorOf('maxRows')}
        onChange={(event) => {
          const maxRows = event.currentTarget.valueAsNumber
          if (Number.isInteger(maxRows)) set({ maxRows })
        }}
      />
      <ScheduleField {...props} />
      <div className={styles.whole}>
        <Checkbox
          label="Skip rows that have not changed"
          checked={value.skipUnchangedRows ?? true}
          onChange={(event) => set({ skipUnchangedRows: event.currentTarget.checked })}
        />
      </div>
      {!isReadOnly && <StartField value={value} set={set} />}
      <div className={styles.whole}>
        <CodeEditor
          label="External SQL"
          hint="Sent to the database unchanged. The SQL below reads its rows as @JDBC_RESULT: CSV with a header line"
          placeholder="SELECT device, measured_at, temperature FROM readings"
          hasLineNumbers
          value={value.externalSql ?? ''}
          error={errorOf('externalSql')}
          onChange={(externalSql) => set({ externalSql })}
          language={language}
          isReadOnly={isReadOnly}
        />
      </div>
      {!isReadOnly && <RowPreview value={value} />}
    </>
  )
}

/** Statements to begin with, as long as none of one's own are there. */
function StartField({ value, set }: Pick<FieldsProps<Connector>, 'value' | 'set'>) {
  const externalSql = value.externalSql ?? ''
  const sql = value.procs[0]?.sql ?? ''
  const chosen = startingImports.find((one) => one.externalSql === externalSql && one.sql === sql)
  const isBlank = externalSql.trim() === '' && sql.trim() === ''
  if (value.procs.length > 1 || (chosen === undefined && !isBlank)) return null
  const choose = (id: string) => {
    const next = startingImports.find((one) => one.id === id)
    const timeZoneId = value.procs[0]?.timeZoneId ?? 'UTC'
    set({ externalSql: next?.externalSql ?? '', procs: [{ sql: next?.sql ?? '', timeZoneId }] })
  }
  return (
    <div className={styles.whole}>
      <Select
        label="Start from"
        hint={chosen?.hint ?? 'Example statements to adapt'}
        value={chosen?.id ?? ''}
        choices={[
          { value: '', label: 'Empty' },
          ...startingImports.map(({ id, label }) => ({ value: id, label })),
        ]}
        onChoose={choose}
      />
    </div>
  )
}

function ConnectionField({ value, set, errorOf }: FieldsProps<Connector>) {
  const asked = useQuery(recordKey('connection', 'all'), (signal) =>
    listRecords('connection', { limit: '1000' }, signal),
  )
  const chosen = value.connection?.uid ?? ''
  const known = (asked.data?.rows ?? []).map((one) => ({ value: one.uid, label: nameOf(one) }))
  const isKnown = known.some((one) => one.value === chosen)
  const kept = isKnown || chosen === '' ? [] : [{ value: chosen, label: 'Current choice' }]
  const hint =
    asked.data?.total === 0 ? (
      <Link to="/connect/connections/new">Create a connection first</Link>
    ) : (
      missingOf('connections', asked)
    )
  return (
    <Select
      label="Connection"
      choices={[{ value: '', label: 'Choose a connection' }, ...kept, ...known]}
      value={chosen}
      hint={hint}
      error={errorOf('connection')}
      onChoose={(uid) => set({ connection: { uid } })}
    />
  )
}
