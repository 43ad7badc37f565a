import { useMemo } from 'react'
import { type ApiError, asApiError } from '../../api/api-error.ts'
import { call } from '../../api/client.ts'
import { useQuery } from '../../api/use-query.ts'
import { CodeEditor } from '../../ui/editor/code-editor.tsx'
import type { CodeLanguage, Complete, EditorMark } from '../../ui/editor/editor-types.ts'
import styles from './connect.module.css'
import { SQL_VARIABLES, SQL_WORDS } from './sql-words.ts'

interface SqlEditorProps {
  readonly label: string
  readonly value: string
  readonly zone: string
  /** Which of the statements of the connector it is. */
  readonly at: number
  /** What went wrong when this text ran. */
  readonly failed: ApiError | undefined
  /** What the service said of it when it was saved. */
  readonly error: string | undefined
  readonly isReadOnly: boolean
  readonly onChange: (sql: string) => void
}

/** Statements of a connector, checked by the service while they are typed, with words to complete. */
export function SqlEditor(props: SqlEditorProps) {
  const { label, value, zone, at, failed, error, isReadOnly, onChange } = props
  const { language, complete } = useWords()
  const check = useMemo(
    () => async (sql: string, signal: AbortSignal) => {
      const mark = failed === undefined ? undefined : markOf(failed, at)
      if (mark !== undefined) return [mark]
      return isReadOnly || sql.trim() === '' ? [] : await mistakesIn({ sql, zone }, signal)
    },
    [failed, at, zone, isReadOnly],
  )
  return (
    <div className={styles.whole}>
      <CodeEditor
        hint="Ctrl Space offers words, functions and what a call brings"
        hasLineNumbers
        {...{ label, value, language, check, complete, isReadOnly, error, onChange }}
      />
    </div>
  )
}

/** What the service finds wrong; a trial without a payload stores nothing, and compiles first. */
async function mistakesIn(
  { sql, zone }: { readonly sql: string; readonly zone: string },
  signal: AbortSignal,
): Promise<readonly EditorMark[]> {
  try {
    const body = { connector: { procs: [{ sql, timeZoneId: zone }] } }
    await call('post', '/api/connector/dry_run', { body, signal })
    return []
  } catch (thrown) {
    const error = asApiError(thrown)
    // What fails for want of a payload is no mistake of the text.
    const mark = error.code === 'bad_sql' ? markOf(error, 0) : undefined
    return mark === undefined ? [] : [mark]
  }
}

/** The place that a refusal names in one of the statements; undefined where it names none there. */
function markOf({ place, message, field }: ApiError, at: number): EditorMark | undefined {
  const isOther = field?.startsWith('procs[') === true && !field.startsWith(`procs[${at}]`)
  if (place === undefined || isOther) return undefined
  const { line, column, pointer } = place
  const length = /\^+/.exec(pointer.slice(pointer.lastIndexOf('\n') + 1))?.[0].length ?? 1
  const said = message.replace(/^.*?line \d+, column \d+: /is, '')
  return { line, column, length, message: said }
}

/** The colours of the language, and what can be completed. */
function useWords(): { readonly language: CodeLanguage; readonly complete: Complete } {
  const { data } = useQuery(['expression', 'function'], (signal) =>
    call('get', '/api/expression/function', { signal }),
  )
  const functions = data?.function
  return useMemo(() => {
    const words = new Set<string>(SQL_WORDS)
    const known = new Set((functions ?? []).map(({ name }) => name.toLowerCase()))
    const suggestions = [
      ...SQL_VARIABLES.map(([label, detail]) => ({ label, detail, rank: 10 })),
      ...SQL_WORDS.map((label) => ({ label, rank: 5 })),
      ...(functions ?? []).map(({ name, signature, help, example }) => ({
        ...{ label: name, detail: signature.slice(name.length), help: `${help}\n${example}` },
        ...{ insert: `${name}()`, caretBack: signature.endsWith('()') ? 0 : 1 },
      })),
    ]
    return {
      language: {
        ...{ lineComment: '--', blockComment: ['/*', '*/'] as const, quotes: '\'"' },
        kindOf: (word: string) => {
          if (word.startsWith('@')) return 'name'
          if (words.has(word.toUpperCase())) return 'keyword'
          return known.has(word.toLowerCase()) ? 'function' : undefined
        },
      },
      complete: () => suggestions,
    }
  }, [functions])
}
