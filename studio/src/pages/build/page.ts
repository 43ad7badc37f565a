import type { PageEntry } from '../../app/page-entry.ts'

/** Where people make and change what describes their data. */
export const pages: readonly PageEntry[] = [
  {
    path: '/build',
    title: 'Build',
    load: () => import('./list-page.tsx').then(({ ListPage }) => ({ Page: ListPage })),
    nav: { label: 'Build', to: '/build', icon: 'build', order: 50, holds: ['/build'] },
  },
  {
    path: '/build/:kind',
    load: () => import('./list-page.tsx').then(({ ListPage }) => ({ Page: ListPage })),
  },
  {
    path: '/build/:kind/:uid',
    load: () => import('./edit-page.tsx').then(({ EditPage }) => ({ Page: EditPage })),
  },
  {
    path: '/build/component/:uid/stream/:stream',
    load: () => import('./stream-page.tsx').then(({ StreamPage }) => ({ Page: StreamPage })),
  },
]
