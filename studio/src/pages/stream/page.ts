import type { PageEntry } from '../../app/page-entry.ts'

/** One stream: its chart, its samples, its files. */
export const pages: readonly PageEntry[] = [
  {
    path: '/c/:component/:stream',
    load: () => import('./stream-page.tsx').then(({ StreamPage }) => ({ Page: StreamPage })),
  },
]
