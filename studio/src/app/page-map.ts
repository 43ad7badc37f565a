import { type ComponentType, lazy } from 'react'
import type { PageEntry, PageProps } from './page-entry.ts'
import { matchPath } from './place.ts'

const modules = import.meta.glob<{ readonly pages: readonly PageEntry[] }>('../pages/*/page.ts', {
  eager: true,
})

/** How many parts are named: of two patterns that match, the one with fewer is meant. */
const looseness = ({ path }: PageEntry) => path.split(':').length

const entries = Object.values(modules)
  .flatMap(({ pages }) => pages)
  .sort((a, b) => looseness(a) - looseness(b))

type Page = ComponentType<PageProps>

type Load = PageEntry['load']

/** Pages whose files were fetched ahead: they show at once, without a blank moment. */
const loaded = new Map<Load, Page>()

async function load(entry: PageEntry): Promise<Page> {
  const { Page } = await entry.load()
  loaded.set(entry.load, Page)
  return Page
}

/** The first view stays: another component would lose what was typed. */
const shown = new Map<Load, Page>()

/** The component of a page, for who shows it: one for all paths that load the same. */
export function pageOf(entry: PageEntry): Page {
  const known = shown.get(entry.load)
  if (known !== undefined) return known
  const page = loaded.get(entry.load) ?? lazy(async () => ({ default: await load(entry) }))
  shown.set(entry.load, page)
  return page
}

/** Names the page of an entry: between paths of one page it stays as it is, and receives the new parts. */
export function pageKey(entry: PageEntry): string {
  return entries.find(({ load: one }) => one === entry.load)?.path ?? entry.path
}

/** Every registered page. */
export const pageEntries: readonly PageEntry[] = entries

/** The page of a path with the parts of its path; undefined: there is none. */
export function findPage(path: string) {
  for (const entry of entries) {
    const params: PageProps['params'] | undefined = matchPath(entry.path, path)
    if (params !== undefined) return { entry, params }
  }
  return undefined
}

/** Fetches the files of all pages, one after the other; those that cannot be had are fetched when they are shown. */
export async function loadPagesAhead(): Promise<void> {
  for (const entry of entries) {
    if (loaded.has(entry.load)) continue
    try {
      await load(entry)
    } catch {
      return
    }
  }
}
