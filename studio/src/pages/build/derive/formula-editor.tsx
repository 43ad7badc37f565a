import { useMemo } from 'react'
import { call } from '../../../api/client.ts'
import { useQuery } from '../../../api/use-query.ts'
import { CodeEditor } from '../../../ui/editor/code-editor.tsx'
import type { CodeLanguage, Complete, EditorMark } from '../../../ui/editor/editor-types.ts'
import type { DerivationDraft, DerivePlace, SourceChoice } from './derivation-draft.ts'

interface FormulaEditorProps {
  readonly derivation: DerivationDraft
  readonly place: DerivePlace
  readonly sources: readonly SourceChoice[]
  /** Whether results lie at the times of samples; in intervals sources are rolled up, and their types may change. */
  readonly isRandom: boolean
  readonly isReadOnly: boolean
  readonly error: string | undefined
  readonly onChange: (expression: string) => void
}

/** The formula, checked by the service while it is typed, with its functions and variables to complete. */
export function FormulaEditor(props: FormulaEditorProps) {
  const { derivation, place, isReadOnly, error, onChange } = props
  const { timeZoneId } = place
  const { data } = useQuery(['expression', 'function'], (signal) =>
    call('get', '/api/expression/function', { signal }),
  )
  const functions = data?.function
  // As a text, so that it is the same for as long as nothing of it has changed.
  const typed = JSON.stringify(typesOf(props))
  const check = useMemo(() => {
    const variables: ReturnType<typeof typesOf> = JSON.parse(typed)
    return async (expression: string, signal: AbortSignal): Promise<readonly EditorMark[]> => {
      if (expression.trim() === '') return []
      const body = { expression, variables, ...(timeZoneId ? { timeZoneId } : {}) }
      const answer = await call('post', '/api/expression/check', { body, signal })
      const { error: mistake, warnings } = answer.expression
      const shown = warnings.map((one) => ({ ...one, isWarning: true }))
      return mistake === null ? shown : [mistake, ...shown]
    }
  }, [typed, timeZoneId])
  const names = derivation.variables.map(({ name }) => name.toLowerCase()).join('\n')
  const language = useMemo((): CodeLanguage => {
    const known = new Set((functions ?? []).map(({ name }) => name.toLowerCase()))
    const variables = new Set(names.split('\n'))
    return {
      lineComment: '--',
      blockComment: ['/*', '*/'],
      quotes: '\'"',
      kindOf: (word) => {
        const small = word.toLowerCase()
        if (variables.has(small)) return 'name'
        return known.has(small) ? 'function' : undefined
      },
    }
  }, [functions, names])
  const complete: Complete = () => [
    ...derivation.variables.map(({ name }) => ({ label: name, detail: 'variable', rank: 10 })),
    ...(functions ?? []).map(({ name, signature, help, example }) => ({
      label: name,
      detail: signature.slice(name.length),
      help: `${help}\n${example}`,
      ...(signature.endsWith('()')
        ? { insert: `${name}()` }
        : { insert: `${name}()`, caretBack: 1 }),
    })),
  ]
  return (
    <CodeEditor
      label="Formula"
      hint="Press Ctrl+Space for functions and variables"
      placeholder="(a + b) / 2"
      value={derivation.expression}
      language={language}
      check={check}
      complete={complete}
      isReadOnly={isReadOnly}
      error={error}
      onChange={onChange}
    />
  )
}

/** The names of a formula, with their types where these are sure. */
function typesOf({ derivation, sources, isRandom }: FormulaEditorProps) {
  return derivation.variables
    .filter(({ name }) => name !== '')
    .map(({ name, componentUid, streamUid, streamId, stat }) => {
      const isOwn = componentUid === '' && stat === '' && isRandom
      const source = isOwn
        ? sources.find(({ uid, id }) => (streamUid === '' ? id === streamId : uid === streamUid))
        : undefined
      return { name, valueType: (source?.valueType ?? '') as '' }
    })
}
