import type { OwnKey } from '../state/use-own-key.ts'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { FormAlert } from '../ui/field.tsx'
import { Link } from './link.tsx'
import styles from './own-key-row.module.css'
import { PasswordPlace } from './password-dialog.tsx'

/** The key for a program that sends samples: made, shown, hidden and copied; once in a page. */
export function OwnKeyRow({ of: key }: { readonly of: OwnKey }) {
  const { isAdministrator, purpose, secret, known, isShown, isBusy } = key
  if (!isAdministrator) {
    return <p className={styles.note}>Ask an administrator of your organization for an API key.</p>
  }
  return (
    <div className={styles.key}>
      <FormAlert>{key.error?.message}</FormAlert>
      {secret === undefined && known !== undefined && (
        <p className={styles.note}>
          The key “{known}” {purpose.does}. Enter your password to see its secret. All keys are
          listed under Admin, <Link to="/admin/keys">API keys</Link>.
        </p>
      )}
      {secret === undefined && known === undefined && <p className={styles.note}>{purpose.may}</p>}
      {secret === undefined && (
        <div className={styles.row}>
          {known !== undefined && (
            <Button kind="primary" icon="key" isBusy={isBusy} onClick={() => void key.reveal()}>
              View secret key
            </Button>
          )}
          <Button
            kind={known === undefined ? 'primary' : undefined}
            icon={known === undefined ? 'key' : 'plus'}
            isBusy={isBusy}
            onClick={() => void key.make()}
          >
            Create key
          </Button>
        </div>
      )}
      {secret !== undefined && (
        <div className={styles.row}>
          <code>{key.text}</code>
          <Button onClick={() => key.setShown(!isShown)}>
            {isShown ? 'Hide' : 'Show'}
            <span className="visually-hidden"> the key</span>
          </Button>
          <CopyButton text={secret} what=" the key" />
        </div>
      )}
      {secret !== undefined && (
        <p className={styles.note}>
          You can see the secret of “{known}” again under Admin,{' '}
          <Link to="/admin/keys">API keys</Link>.
        </p>
      )}
      <PasswordPlace />
    </div>
  )
}
