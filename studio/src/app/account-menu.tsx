import { usePerson } from '../api/session.ts'
import { Icon } from '../ui/icon.tsx'
import styles from './account-menu.module.css'

interface AccountMenuProps {
  readonly className: string
  readonly onOpen: () => void
}

/** Opens the account dialog, and names the organization where a person has several. */
export function AccountMenu({ className, onOpen }: AccountMenuProps) {
  const { organization, orgUid } = usePerson()
  const here = organization.find(({ uid }) => uid === orgUid)
  const isOneOfMany = organization.length > 1 && here !== undefined
  return (
    <button
      type="button"
      className={className}
      title={isOneOfMany ? `Account, in ${here.name}` : undefined}
      onClick={onOpen}
    >
      <Icon name="person" />
      Account
      {isOneOfMany && <span className={styles.here}>{here.name}</span>}
    </button>
  )
}
