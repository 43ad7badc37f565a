import type { Ref } from 'react'
import type { ApiError } from '../../api/api-error.ts'
import { CodeEditor } from '../../ui/editor/code-editor.tsx'
import type { EditorHandle } from '../../ui/editor/editor-types.ts'
import styles from './query.module.css'
import { useGqlEditor } from './use-gql-editor.ts'

interface SqlEditorProps {
  readonly value: string
  readonly zone: string
  /** What went wrong when this text ran. */
  readonly failed: { readonly sql: string; readonly error: ApiError } | undefined
  readonly onChange: (sql: string) => void
  readonly onRun: (sql: string) => void
  readonly ref: Ref<EditorHandle>
}

/** GS SQL, checked by the service while it is typed, with all that can be written to complete. */
export function SqlEditor({ value, zone, failed, onChange, onRun, ref }: SqlEditorProps) {
  const gql = useGqlEditor({ zone, failed })
  return (
    <div className={styles.editor}>
      <CodeEditor
        label="GS SQL"
        placeholder="SELECT cname, name, lastValue FROM STREAM"
        hint="Press Ctrl+Enter to run, Ctrl+Space for keywords, columns, and (in quotes) IDs"
        hasLineNumbers
        {...gql}
        value={value}
        onChange={onChange}
        onRun={onRun}
        ref={ref}
      />
    </div>
  )
}
