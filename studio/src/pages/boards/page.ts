import type { PageEntry } from '../../app/page-entry.ts'

/** Boards that everybody in the organization sees. */
export const pages: readonly PageEntry[] = [
  {
    path: '/boards',
    title: 'Boards',
    load: () => import('./boards-page.tsx').then(({ BoardsPage }) => ({ Page: BoardsPage })),
    nav: { label: 'Boards', to: '/boards', icon: 'boards', order: 20, holds: ['/boards'] },
  },
  {
    path: '/boards/:uid',
    load: () => import('./board-page.tsx').then(({ BoardPage }) => ({ Page: BoardPage })),
  },
]
