import { type Ref, useMemo } from 'react'
import type { ApiError } from '../../api/api-error.ts'
import { call } from '../../api/client.ts'
import { useQuery } from '../../api/use-query.ts'
import { CodeEditor } from '../../ui/editor/code-editor.tsx'
import type { EditorHandle, EditorMark } from '../../ui/editor/editor-types.ts'
import { withoutPlace } from './gql-answer.ts'
import styles from './query.module.css'
import { completionOf, type GqlLanguage, languageOf } from './sql-language.ts'

interface SqlEditorProps {
  readonly value: string
  readonly zone: string
  /** What went wrong when this text ran. */
  readonly failed: { readonly sql: string; readonly error: ApiError } | undefined
  readonly onChange: (sql: string) => void
  readonly onRun: (sql: string) => void
  readonly ref: Ref<EditorHandle>
}

/** The words of GS SQL, as the service knows them. */
export function useGqlLanguage(): GqlLanguage | undefined {
  const { data } = useQuery(['gql', 'language'], (signal) =>
    call('get', '/api/gql/language', { signal }),
  )
  return data?.language
}

/** GS SQL, checked by the service while it is typed, with all that can be written to complete. */
export function SqlEditor({ value, zone, failed, onChange, onRun, ref }: SqlEditorProps) {
  const words = useGqlLanguage()
  const language = useMemo(() => languageOf(words), [words])
  const complete = useMemo(() => completionOf(words), [words])
  const check = useMemo(
    () =>
      async (sql: string, signal: AbortSignal): Promise<readonly EditorMark[]> => {
        if (sql.trim() === '') return []
        const mark = failed?.sql === sql ? markOf(failed.error) : undefined
        if (mark !== undefined) return [mark]
        const { check: checked } = await call('post', '/api/gql/check', {
          body: { sql, tz: zone },
          signal,
        })
        return checked.error === null ? [] : [checked.error]
      },
    [zone, failed],
  )
  return (
    <div className={styles.editor}>
      <CodeEditor
        label="GS SQL"
        placeholder="SELECT cname, name, lastValue FROM STREAM"
        hint="Ctrl Enter runs it, Ctrl Space offers words, columns and, in quotes, IDs"
        hasLineNumbers
        {...{ value, language, check, complete, onChange, onRun, ref }}
      />
    </div>
  )
}

/** The place that a refusal names; undefined where it names none. */
function markOf({ place, message }: ApiError): EditorMark | undefined {
  if (place === undefined) return undefined
  const { line, column, pointer } = place
  const length = /\^+/.exec(pointer.slice(pointer.lastIndexOf('\n') + 1))?.[0].length ?? 1
  return { line, column, length, message: withoutPlace(message) }
}
