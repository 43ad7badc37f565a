import type { PageEntry } from '../../app/page-entry.ts'

const load = () => import('./query-page.tsx').then(({ QueryPage }) => ({ Page: QueryPage }))

/** Where people ask what is stored, in GS SQL; the address holds the saved query. */
export const pages: readonly PageEntry[] = [
  {
    path: '/query',
    title: 'Query',
    load,
    nav: { label: 'Query', to: '/query', icon: 'query', order: 30, holds: ['/query'] },
  },
  { path: '/query/:uid', load },
]
