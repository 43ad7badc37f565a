import { useState } from 'react'
import { asApiError } from '../api/api-error.ts'
import { usePerson } from '../api/session.ts'
import { chooseOrganization, signOut } from '../api/sign-in.ts'
import { chooseTheme, type ThemeChoice, useTheme } from '../style/theme.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { FormAlert } from '../ui/field.tsx'
import { Select } from '../ui/select.tsx'
import styles from './account-menu.module.css'
import { ACCOUNT } from './account-section.ts'
import { Link } from './link.tsx'

const THEMES: ReadonlyArray<readonly [ThemeChoice, string]> = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
]

/** Who is signed in, in which organization; light or dark; the way out. */
export function AccountDialog({ onClose }: { readonly onClose: () => void }) {
  const { userFirstName, userLastName, email, organization, orgUid } = usePerson()
  const theme = useTheme()
  const [error, setError] = useState<string>()
  const leave = () => signOut().catch((thrown) => setError(asApiError(thrown).message))
  const name = `${userFirstName} ${userLastName}`.trim()
  const here = organization.find(({ uid }) => uid === orgUid)
  return (
    <Dialog title="Account" onClose={onClose}>
      <p className={styles.person}>
        Signed in as <strong>{name === '' ? email : `${name} (${email})`}</strong>
        {here !== undefined && `, ${here.role.toLowerCase()} of ${here.name}`}
      </p>
      {organization.length > 1 && (
        <Select
          label="Organization"
          value={orgUid}
          choices={organization.map(({ uid, name: label }) => ({ value: uid, label }))}
          onChoose={chooseOrganization}
        />
      )}
      <fieldset className={styles.fieldset}>
        <legend>Theme</legend>
        <div className={styles.row}>
          {THEMES.map(([choice, label]) => (
            <Button
              key={choice}
              aria-pressed={theme.choice === choice}
              kind={theme.choice === choice ? 'primary' : 'normal'}
              onClick={() => chooseTheme(choice)}
            >
              {label}
            </Button>
          ))}
        </div>
      </fieldset>
      <nav aria-label="Account pages">
        <ul className={styles.links}>
          {ACCOUNT.places.map(({ to, label }) => (
            <li key={to}>
              <Link to={to} onClick={onClose}>
                {label}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <FormAlert>{error}</FormAlert>
      <Button onClick={leave}>Sign out</Button>
    </Dialog>
  )
}
