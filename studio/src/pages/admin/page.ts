import { ACCOUNT } from '../../app/account-section.ts'
import type { PageEntry } from '../../app/page-entry.ts'

const load = () => import('./admin-page.tsx').then(({ AdminPage }) => ({ Page: AdminPage }))

const loadAccount = () =>
  import('./account-page.tsx').then(({ AccountPage }) => ({ Page: AccountPage }))

/** Permissions and the state of the service, and one's own account. */
export const pages: readonly PageEntry[] = [
  {
    path: '/admin',
    title: 'Administration',
    load,
    nav: { label: 'Admin', to: '/admin', icon: 'admin', order: 60, holds: ['/admin'] },
  },
  { path: '/admin/:section', load },
  ...ACCOUNT.places.map(({ to, label }) => ({ path: to, title: label, load: loadAccount })),
]
