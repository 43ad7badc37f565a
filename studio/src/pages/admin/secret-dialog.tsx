import { useEffect } from 'react'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import styles from './section.module.css'

/** A secret is hidden again after this. */
const SHOWN_MS = 60_000

interface SecretDialogProps {
  readonly name: string
  readonly secret: string
  /** How to get a secret later. */
  readonly later: string
  readonly onClose: () => void
}

/** A secret, to be copied; it goes away by itself after a minute. */
export function SecretDialog({ name, secret, later, onClose }: SecretDialogProps) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: a minute from when the secret is shown.
  useEffect(() => {
    const timer = setTimeout(onClose, SHOWN_MS)
    return () => clearTimeout(timer)
  }, [secret])
  return (
    <Dialog title={`Secret of “${name}”`} onClose={onClose}>
      <p>Anyone with this secret has its permissions. It is hidden after one minute. {later}</p>
      <code className={styles.secret}>{secret}</code>
      <DialogActions>
        <CopyButton text={secret} what="the secret" />
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  )
}
