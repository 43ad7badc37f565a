import type { PageEntry } from '../../app/page-entry.ts'

const load = () => import('./explore-page.tsx').then(({ ExplorePage }) => ({ Page: ExplorePage }))

/** All components as a tree, and beside it one of them with its streams, or one stream. */
export const pages: readonly PageEntry[] = [
  {
    path: '/c',
    title: 'Explore',
    load,
    nav: { label: 'Explore', to: '/c', icon: 'explore', order: 10, holds: ['/c', '/view'] },
  },
  { path: '/c/:component', load },
  { path: '/c/:component/:stream', load },
]
