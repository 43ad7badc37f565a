import { useMemo } from 'react'
import type { ApiError } from '../../api/api-error.ts'
import { call } from '../../api/client.ts'
import { useQuery } from '../../api/use-query.ts'
import type { CodeLanguage, Complete, EditorMark } from '../../ui/editor/editor-types.ts'
import { withoutPlace } from './gql-answer.ts'
import { completionOf, type GqlLanguage, languageOf } from './sql-language.ts'

/** What an editor needs to know of GS SQL. */
interface GqlEditor {
  readonly language: CodeLanguage
  readonly complete: Complete
  readonly check: (sql: string, signal: AbortSignal) => Promise<readonly EditorMark[]>
}

interface GqlEditorOptions {
  readonly zone: string
  /** What went wrong when a text ran; it is marked for as long as that text stands there. */
  readonly failed: { readonly sql: string; readonly error: ApiError } | undefined
  /** Users who cannot edit get no checks. */
  readonly isReadOnly?: boolean
}

/** The words of GS SQL, as the service knows them. */
export function useGqlLanguage(): GqlLanguage | undefined {
  const { data } = useQuery(['gql', 'language'], (signal) =>
    call('get', '/api/gql/language', { signal }),
  )
  return data?.language
}

/** GS SQL for an editor: its colours, all that can be written, and what the service finds wrong. */
export function useGqlEditor({ zone, failed, isReadOnly = false }: GqlEditorOptions): GqlEditor {
  const words = useGqlLanguage()
  const language = useMemo(() => languageOf(words), [words])
  const complete = useMemo(() => completionOf(words), [words])
  const check = useMemo(
    () =>
      async (sql: string, signal: AbortSignal): Promise<readonly EditorMark[]> => {
        if (sql.trim() === '') return []
        const mark = failed?.sql === sql ? markOf(failed.error) : undefined
        if (mark !== undefined) return [mark]
        if (isReadOnly) return []
        const { check: checked } = await call('post', '/api/gql/check', {
          body: { sql, tz: zone },
          signal,
        })
        return checked.error === null ? [] : [checked.error]
      },
    [zone, failed, isReadOnly],
  )
  return { language, complete, check }
}

/** The place that a refusal names; undefined where it names none. */
function markOf({ place, message }: ApiError): EditorMark | undefined {
  if (place === undefined) return undefined
  const { line, column, pointer } = place
  const length = /\^+/.exec(pointer.slice(pointer.lastIndexOf('\n') + 1))?.[0].length ?? 1
  return { line, column, length, message: withoutPlace(message) }
}
