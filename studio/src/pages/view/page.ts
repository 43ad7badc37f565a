import type { PageEntry } from '../../app/page-entry.ts'

/** Several streams on one chart; all of it is in the address. */
export const pages: readonly PageEntry[] = [
  {
    path: '/view',
    title: 'Compare streams',
    load: () => import('./view-page.tsx').then(({ ViewPage }) => ({ Page: ViewPage })),
  },
]
