import { lazy } from 'react'
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

const shown = entries.map((entry) => ({
  entry,
  Page: lazy(async () => ({ default: (await entry.load()).Page })),
}))

/** Every registered page. */
export const pageEntries: readonly PageEntry[] = entries

/** The page of a path with the parts of its path; undefined: there is none. */
export function findPage(path: string) {
  for (const { entry, Page } of shown) {
    const params: PageProps['params'] | undefined = matchPath(entry.path, path)
    if (params !== undefined) return { entry, Page, params }
  }
  return undefined
}
