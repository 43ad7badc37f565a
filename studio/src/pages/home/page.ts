import type { PageEntry } from '../../app/page-entry.ts'

/** The beginning: the first run, or the overview. */
export const pages: readonly PageEntry[] = [
  {
    path: '/',
    title: 'Home',
    load: () => import('./home-page.tsx').then(({ HomePage }) => ({ Page: HomePage })),
  },
]
