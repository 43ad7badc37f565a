import { call } from '../../api/client.ts'
import { confirmed } from '../../api/confirmed.ts'
import type { Schema } from '../../api/paths.ts'
import { useAct } from '../../api/use-act.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { FormAlert } from '../../ui/field.tsx'

interface RenewSecretProps {
  readonly client: Schema<'OAuthClient'>
  onMade(secret: string): void
  readonly onClose: () => void
}

/** Replaces the secret of a client, after a warning of what that ends. */
export function RenewSecret({ client, onMade, onClose }: RenewSecretProps) {
  const act = useAct()
  const renew = () =>
    act.run(async () => {
      const path = { uid: client.uid }
      const done = await confirmed((headers) =>
        call('post', '/api/oauth_client/{uid}/secret', { path, headers }),
      )
      if (done === undefined) return
      onClose()
      onMade(done.oauth_client.clientSecret ?? '')
    })
  return (
    <Dialog title={`Rotate the secret of “${client.name}”?`} onClose={onClose}>
      <p>The current secret stops working immediately. Enter the new secret in the app.</p>
      <FormAlert>{act.error?.message}</FormAlert>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="danger" isBusy={act.isBusy} onClick={() => void renew()}>
          Rotate secret
        </Button>
      </DialogActions>
    </Dialog>
  )
}
