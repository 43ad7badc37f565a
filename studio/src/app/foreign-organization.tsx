import { useState } from 'react'
import { asApiError } from '../api/api-error.ts'
import { below } from '../api/base-path.ts'
import type { SignedIn } from '../api/session.ts'
import { signOut } from '../api/sign-in.ts'
import { Button } from '../ui/button.tsx'
import { FormAlert } from '../ui/field.tsx'
import styles from './foreign-organization.module.css'

/** Says that the address is one of an organization that the person is no member of, and where they can go on. */
export function Elsewhere({ person }: { readonly person: SignedIn }) {
  const [error, setError] = useState<string>()
  const { organization, orgUid, email } = person
  const own = organization.find(({ uid }) => uid === orgUid)?.name ?? 'your organization'
  const leave = () => signOut().catch((thrown) => setError(asApiError(thrown).message))
  return (
    <main className={styles.place}>
      <h1>You are not a member of this organization</h1>
      <p>
        You are signed in as <strong>{email}</strong>. Ask the sender of the link to invite this
        email address, then open the link again.
      </p>
      <FormAlert>{error}</FormAlert>
      <div className={styles.ways}>
        <Button kind="primary" onClick={() => location.assign(below('/'))}>
          Continue to {own.slice(0, 80)}
        </Button>
        <Button onClick={leave}>Use another account</Button>
      </div>
    </main>
  )
}
