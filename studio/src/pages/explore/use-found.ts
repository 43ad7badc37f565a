import { useCallback, useEffect, useMemo, useState } from 'react'
import { call } from '../../api/client.ts'
import { reasonOf } from './reason.ts'
import { componentRows, type FolderContent, type TreeRow, TreeRows } from './tree-rows.ts'

const PAGE = 100
/** Who types is not asked for after every letter. */
const TYPING_MS = 120

/** What a search has found so far. */
export interface Found {
  readonly rows: TreeRows
  /** Undefined until it is known of this text. */
  readonly totalCount: number | undefined
  readonly error: string | undefined
  need(rows: readonly TreeRow[]): void
}

/** The components that have the words of a text in name or ID, read as far as they are seen. */
export function useFound(text: string): Found {
  const [found, setFound] = useState<{ text: string; content: FolderContent }>()
  const [error, setError] = useState<string>()
  const [pending] = useState(() => new Set<string>())
  const read = useCallback(
    async (page: number, signal?: AbortSignal) => {
      const key = `${page} ${text}`
      if (pending.has(key)) return
      pending.add(key)
      try {
        const query = { search: text, start: page * PAGE, limit: PAGE }
        const { component, totalCount } = await call('get', '/api/component', { query, signal })
        setError(undefined)
        setFound((before) => {
          const known = before?.text === text ? before.content.components : undefined
          const components = new Map(known)
          for (const [at, one] of component.entries()) components.set(page * PAGE + at, one)
          return { text, content: { totalCount, components } }
        })
      } catch (thrown) {
        if (signal?.aborted === true) return
        setError(reasonOf(thrown))
      } finally {
        pending.delete(key)
      }
    },
    [text, pending],
  )
  useEffect(() => {
    if (text === '') return undefined
    const asking = new AbortController()
    const timer = setTimeout(() => void read(0, asking.signal), TYPING_MS)
    return () => {
      clearTimeout(timer)
      asking.abort()
    }
  }, [text, read])
  // While another text is asked for, what was found before stays in sight.
  const content = text === '' ? undefined : found?.content
  const rows = useMemo(() => rowsOfFound(content), [content])
  const need = useCallback(
    (seen: readonly TreeRow[]) => {
      for (const row of seen) {
        const isUnread = row.kind === 'component' && row.component === undefined
        if (isUnread) void read(Math.floor(row.at / PAGE))
      }
    },
    [read],
  )
  const totalCount = found?.text === text ? content?.totalCount : undefined
  return { rows, totalCount, error, need }
}

/** Has the service read the names of all components before the first letter is typed. */
export function prepareSearch(): void {
  void call('get', '/api/component', { query: { search: UNLIKELY, limit: 1 } }).catch(() => {})
}

/** What nobody calls a component. */
const UNLIKELY = '\u0001'

function rowsOfFound(content: FolderContent | undefined): TreeRows {
  const rows = new TreeRows()
  rows.add(content?.totalCount ?? 0, componentRows(content, { folder: '', depth: 1 }))
  return rows
}
