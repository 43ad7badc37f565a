import type { ComponentType } from 'react'
import { ACCOUNT } from '../../app/account-section.ts'
import { NoPage } from '../../app/no-page.tsx'
import { PasswordPlace } from '../../app/password-dialog.tsx'
import { usePlace } from '../../app/place.ts'
import { SectionFrame } from '../../app/section-frame.tsx'
import { ConnectedApps } from './connected-apps.tsx'
import { Invitations } from './invitations.tsx'
import { OwnAccount } from './own-account.tsx'
import { SecondFactor } from './second-factor.tsx'
import { Sessions } from './sessions.tsx'

const PARTS: Readonly<Record<string, ComponentType>> = {
  '/account': Profile,
  '/account/second-factor': SecondFactor,
  '/account/sessions': Sessions,
  '/account/apps': ConnectedApps,
}

/** The account of the signed-in person. */
export function AccountPage() {
  const { path } = usePlace()
  const here = path.replace(/\/$/, '')
  const Part = PARTS[here]
  if (Part === undefined) return <NoPage />
  return (
    <SectionFrame section={ACCOUNT} here={here}>
      <Part />
      <PasswordPlace />
    </SectionFrame>
  )
}

function Profile() {
  return (
    <>
      <Invitations />
      <OwnAccount />
    </>
  )
}
