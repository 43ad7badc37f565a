import type { ComponentType } from 'react'
import { useRole } from '../../api/session.ts'
import { NoPage } from '../../app/no-page.tsx'
import type { PageProps } from '../../app/page-entry.ts'
import { PasswordPlace } from '../../app/password-dialog.tsx'
import { ADMINS, type Section, SectionFrame } from '../../app/section-frame.tsx'
import { Empty } from '../../ui/empty.tsx'
import { AppsSection } from './apps-section.tsx'
import { AuditSection } from './audit-section.tsx'
import { HealthSection } from './health/health-section.tsx'
import { KeysSection } from './keys-section.tsx'
import { OrganizationSection } from './organization-section.tsx'
import { PeopleSection } from './people-section.tsx'

const ADMIN: Section = {
  label: 'Administration',
  places: [
    { to: '/admin', label: 'People' },
    { to: '/admin/keys', label: 'API keys', roles: ADMINS },
    { to: '/admin/apps', label: 'OAuth clients', roles: ADMINS },
    { to: '/admin/organization', label: 'Organization', roles: ADMINS },
    { to: '/admin/audit', label: 'Audit log', roles: ADMINS },
    { to: '/admin/health', label: 'Health', roles: ADMINS },
  ],
}

const PARTS: Readonly<Record<string, ComponentType>> = {
  '/admin': PeopleSection,
  '/admin/keys': KeysSection,
  '/admin/apps': AppsSection,
  '/admin/organization': OrganizationSection,
  '/admin/audit': AuditSection,
  '/admin/health': HealthSection,
}

/** Users, keys, OAuth clients, limits, the audit log, and the health of the service. */
export function AdminPage({ params: { section } }: PageProps) {
  const here = section === undefined ? '/admin' : `/admin/${section}`
  const isAdmin = ADMINS.includes(useRole())
  const Part = PARTS[here]
  if (Part === undefined) return <NoPage />
  return (
    <SectionFrame section={ADMIN} here={here}>
      {isAdmin || here === '/admin' ? (
        <Part />
      ) : (
        <Empty text="Only owners and admins of the organization can open this page." />
      )}
      <PasswordPlace />
    </SectionFrame>
  )
}
