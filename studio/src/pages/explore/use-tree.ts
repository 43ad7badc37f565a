import { useCallback, useEffect, useMemo, useState } from 'react'
import { call } from '../../api/client.ts'
import { onFound } from '../../api/connection.ts'
import { useLive } from '../../api/live.ts'
import { usePerson } from '../../api/session.ts'
import { invalidate, useQuery } from '../../api/use-query.ts'
import { useSeldom } from '../../ui/use-seldom.ts'
import { type FolderPage, findPlace } from './find-place.ts'
import { reasonOf } from './reason.ts'
import {
  childrenOf,
  type FolderContent,
  foldersAlong,
  ROOT,
  rowsOf,
  type TreeRow,
  type TreeRows,
} from './tree-rows.ts'

const PAGE = 200
const FOLDER_PAGE = 1_000
/** More are not drawn. */
const FOLDERS_MAX = 10_000

/** A bulk load is many commits: the tree is refreshed every few seconds. */
const REFRESH = { soonMs: 200, everyMs: 3_000 }
/** Folders without components that are looked into again. */
const EMPTY_MAX = 20
/** Open folders that are remembered. */
const OPEN_MAX = 1_000

const keyOf = (orgUid: string) => `weir.tree.${orgUid}`

/** A tree, and how it is opened and read. */
export interface Tree {
  readonly rows: TreeRows
  readonly error: string | undefined
  readonly isEmpty: boolean
  toggle(path: string, isOpen: boolean): void
  /** Opens the folders along a path. */
  reveal(path: string): void
  /** Reads the components of rows that are seen. */
  need(rows: readonly TreeRow[]): void
  /** The place of a component in its folder; undefined if it is not found. */
  locate(component: Located): Promise<number | undefined>
}

/** A component that is to be found in the tree. */
export interface Located {
  readonly uid: string
  readonly name: string
  readonly folder: string
}

/** The folders and components of the organization, read as far as they are seen. */
export function useTree(): Tree {
  const { orgUid } = usePerson()
  const { data: paths, error } = useQuery(['component_folder', 'paths'], readFolders)
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set(readOpen(orgUid)))
  const { contents, need, failed, locate } = useContents(orgUid)
  const change = useCallback(
    (act: (open: Set<string>) => void) => {
      setOpen((before) => {
        const next = new Set(before)
        act(next)
        localStorage.setItem(keyOf(orgUid), JSON.stringify([...next].slice(-OPEN_MAX)))
        return next
      })
    },
    [orgUid],
  )
  const toggle = useCallback(
    (path: string, isOpen: boolean) =>
      change((open) => {
        if (isOpen) open.add(path)
        else open.delete(path)
      }),
    [change],
  )
  const reveal = useCallback(
    (path: string) =>
      change((open) => {
        for (const folder of foldersAlong(path)) open.add(folder)
      }),
    [change],
  )
  const children = useMemo(() => childrenOf(paths ?? []), [paths])
  const rows = useMemo(() => rowsOf({ children, contents, open }), [children, contents, open])
  const isEmpty = paths?.length === 0 && contents.get(ROOT)?.totalCount === 0
  return { rows, error: reasonOf(error) ?? failed, isEmpty, toggle, reveal, need, locate }
}

function readOpen(orgUid: string): string[] {
  try {
    const known: unknown = JSON.parse(localStorage.getItem(keyOf(orgUid)) ?? '[]')
    return Array.isArray(known) ? known.filter((path) => typeof path === 'string') : []
  } catch {
    return []
  }
}

async function readFolders(signal: AbortSignal): Promise<string[]> {
  const paths: string[] = []
  for (;;) {
    const query = { start: paths.length, limit: FOLDER_PAGE }
    const page = await call('get', '/api/component_folder', { query, signal })
    for (const { path } of page.component_folder) paths.push(path)
    const isOver = page.component_folder.length < FOLDER_PAGE || paths.length >= FOLDERS_MAX
    if (isOver) return paths
  }
}

/** Components by folder, page by page; what is committed by others is read again. */
function useContents(orgUid: string) {
  const [contents, setContents] = useState<ReadonlyMap<string, FolderContent>>(new Map())
  const [failed, setFailed] = useState<string>()
  const [pending] = useState(() => new Set<string>())
  /** Pages that were read since something was committed. */
  const [fresh] = useState(() => new Set<string>())
  const read = useCallback(
    async (folder: string, page: number) => {
      const key = keyOfPage(folder, page)
      if (pending.has(key)) return
      pending.add(key)
      fresh.add(key)
      try {
        const query = { folder, direct: true, start: page * PAGE, limit: PAGE }
        const { component, totalCount } = await call('get', '/api/component', { query })
        setFailed(undefined)
        setContents((before) =>
          withPage(before, { folder, page, components: component, totalCount }),
        )
      } catch (thrown) {
        fresh.delete(key)
        setFailed(reasonOf(thrown))
      } finally {
        pending.delete(key)
      }
    },
    [pending, fresh],
  )
  const locate = useCallback(({ uid, name, folder }: Located) => {
    const readPage = async (page: number) => {
      const query = { folder, direct: true, start: page * PAGE, limit: PAGE }
      const { component: components, totalCount } = await call('get', '/api/component', { query })
      setContents((before) => withPage(before, { folder, page, components, totalCount }))
      return { components, totalCount }
    }
    return findPlace({ uid, name, pageSize: PAGE, read: readPage })
  }, [])
  const [round, setRound] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another round asks for all that is seen again.
  const need = useCallback(
    (rows: readonly TreeRow[]) => {
      for (const row of rows) {
        if (row.kind !== 'component') continue
        const page = Math.floor(row.at / PAGE)
        if (row.component === undefined || !fresh.has(keyOfPage(row.folder, page))) {
          void read(row.folder, page)
        }
      }
    },
    [read, fresh, round],
  )
  // What is seen stays until it is read again; what is not seen is read when it is.
  const refresh = useSeldom(() => {
    fresh.clear()
    setRound((before) => before + 1)
    const empty = [...contents].filter(([, { totalCount }]) => totalCount === 0)
    for (const [folder] of empty.slice(0, EMPTY_MAX)) void read(folder, 0)
  }, REFRESH)
  const refreshFolders = useSeldom(() => invalidate('component_folder'), REFRESH)
  useLive([{ catalog: true }], (events) => {
    const hasFolders = events.some(({ event, data }) => event === 'catalog' && data.hasFolders)
    if (hasFolders) refreshFolders()
    refresh()
  })
  useEffect(() => onFound(refresh), [refresh])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another organization has another tree.
  useEffect(() => setContents(new Map()), [orgUid])
  return { contents, need, failed, locate }
}

/** What is known of folders with a page that was read. */
function withPage(
  before: ReadonlyMap<string, FolderContent>,
  read: FolderPage & { readonly folder: string; readonly page: number },
): ReadonlyMap<string, FolderContent> {
  const { folder, page, totalCount } = read
  const components = new Map(before.get(folder)?.components)
  for (const [at, one] of read.components.entries()) components.set(page * PAGE + at, one)
  return new Map(before).set(folder, { totalCount, components })
}

function keyOfPage(folder: string, page: number): string {
  return `${folder}\u0001${page}`
}
