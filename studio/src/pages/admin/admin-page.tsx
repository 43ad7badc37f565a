import type { ComponentType } from 'react'
import { useRole } from '../../api/session.ts'
import { NoPage } from '../../app/no-page.tsx'
import type { PageProps } from '../../app/page-entry.ts'
import { PasswordPlace } from '../../app/password-dialog.tsx'
import { navigate, pathTo } from '../../app/place.ts'
import { Empty } from '../../ui/empty.tsx'
import { PageFrame } from '../../ui/page-frame.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { AppsSection } from './apps-section.tsx'
import { AuditSection } from './audit-section.tsx'
import { HealthSection } from './health/health-section.tsx'
import { KeysSection } from './keys-section.tsx'
import { OrganizationSection } from './organization-section.tsx'
import { PeopleSection } from './people-section.tsx'
import { YouSection } from './you-section.tsx'

interface Section {
  readonly id: string
  readonly label: string
  /** Whether only those who administer see it. */
  readonly isForAdmins: boolean
  readonly Show: ComponentType
}

const SECTIONS: readonly Section[] = [
  { id: 'people', label: 'People', isForAdmins: false, Show: PeopleSection },
  { id: 'keys', label: 'API keys', isForAdmins: true, Show: KeysSection },
  { id: 'apps', label: 'OAuth clients', isForAdmins: true, Show: AppsSection },
  { id: 'organization', label: 'Organization', isForAdmins: true, Show: OrganizationSection },
  { id: 'audit', label: 'Audit log', isForAdmins: true, Show: AuditSection },
  { id: 'health', label: 'Health', isForAdmins: true, Show: HealthSection },
  { id: 'you', label: 'You', isForAdmins: false, Show: YouSection },
]

/** The part of Admin that an address names. */
export function AdminPage({ params: { section = SECTIONS[0].id } }: PageProps) {
  if (SECTIONS.every(({ id }) => id !== section)) return <NoPage />
  return <Sections chosen={section} />
}

/** Users, keys, OAuth clients, limits, the audit log, the service's health, and one's own account. */
function Sections({ chosen }: { readonly chosen: string }) {
  const role = useRole()
  const isAdmin = role === 'OWNER' || role === 'ADMIN'
  const seen = SECTIONS.filter(({ isForAdmins }) => isAdmin || !isForAdmins)
  const Shown = seen.find(({ id }) => id === chosen)?.Show
  return (
    <PageFrame title={seen.find(({ id }) => id === chosen)?.label ?? 'Administration'}>
      <Tabs
        label="Administration pages"
        tabs={seen}
        chosen={Shown === undefined ? seen[0].id : chosen}
        onChoose={(id) => navigate(pathTo('admin', id))}
      >
        {Shown === undefined ? (
          <Empty text="Only owners and admins of the organization can open this page." />
        ) : (
          <Shown />
        )}
      </Tabs>
      <PasswordPlace />
    </PageFrame>
  )
}
