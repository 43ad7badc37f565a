import { useMemo } from 'react'
import type { ApiError } from '../../api/api-error.ts'
import { CodeEditor } from '../../ui/editor/code-editor.tsx'
import { useGqlEditor } from '../query/use-gql-editor.ts'
import styles from './connect.module.css'
import type { FailedRun } from './connector-types.ts'

const HINT = 'Press Ctrl+Space for keywords, functions, request variables, and (in quotes) IDs'
const IDLE_HINT =
  'No INSERT found, so nothing is stored. Start with INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE) SELECT …'

interface SqlEditorProps {
  readonly label: string
  readonly value: string
  readonly zone: string
  /** Which of the statements of the connector it is. */
  readonly at: number
  /** What went wrong when the statements ran. */
  readonly failed: FailedRun | undefined
  /** Whether all statements of the connector together store nothing. */
  readonly isIdle: boolean
  /** What the service said of it when it was saved. */
  readonly error: string | undefined
  readonly isReadOnly: boolean
  readonly onChange: (sql: string) => void
}

/** Statements of a connector, checked by the service while they are typed, with words to complete. */
export function SqlEditor(props: SqlEditorProps) {
  const { label, value, zone, at, failed: run, isIdle, error, isReadOnly, onChange } = props
  const failed = useMemo(() => {
    if (run === undefined || !isOf(run.error, at)) return undefined
    return { sql: run.sqls[at] ?? '', error: run.error }
  }, [run, at])
  const gql = useGqlEditor({ zone, failed, isReadOnly })
  return (
    <div className={styles.whole}>
      <CodeEditor
        hint={isIdle ? IDLE_HINT : HINT}
        hasLineNumbers
        {...gql}
        label={label}
        value={value}
        isReadOnly={isReadOnly}
        error={error}
        onChange={onChange}
      />
    </div>
  )
}

/** Whether a refusal is of one of the statements; one that names none is of the only one. */
function isOf({ field }: ApiError, at: number): boolean {
  return field?.startsWith('procs[') !== true || field.startsWith(`procs[${at}]`)
}
