import { type FormEvent, useState } from 'react'
import { call } from '../../api/client.ts'
import { confirmed, headerText } from '../../api/confirmed.ts'
import { useAct } from '../../api/use-act.ts'
import { invalidate, useQuery } from '../../api/use-query.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Field, FormAlert } from '../../ui/field.tsx'
import { showToast } from '../../ui/toast.tsx'
import styles from './section.module.css'

/** Codes of an authenticator app: whether they are asked for, how to begin and to end. */
export function SecondFactor() {
  const { data, error } = useQuery(['second_factor'], (signal) =>
    call('get', '/api/second_factor', { signal }),
  )
  const [begun, setBegun] = useState<{ secret: string; address: string }>()
  const [isEnding, setIsEnding] = useState(false)
  const act = useAct()
  const begin = () =>
    act.run(async () => {
      const done = await confirmed((headers) =>
        call('put', '/api/second_factor', { headers, body: {} }),
      )
      if (done !== undefined) setBegun(done.second_factor)
    })
  if (error !== undefined && data === undefined) return <FormAlert>{error.message}</FormAlert>
  if (data === undefined) return null
  const { isOn, recoveryCodesLeft } = data.second_factor
  return (
    <>
      <FormAlert>{act.error?.message}</FormAlert>
      <div className={styles.bar}>
        <p>
          {isOn
            ? `On. Signing in needs a code from your authenticator app. ${recoveryCodesLeft} recovery codes left.`
            : 'Off. Signing in needs only your password.'}
        </p>
        {isOn ? (
          <Button onClick={() => setIsEnding(true)}>Turn off</Button>
        ) : (
          <Button isBusy={act.isBusy} onClick={() => void begin()}>
            Turn on
          </Button>
        )}
      </div>
      {begun !== undefined && <Beginning begun={begun} onClose={() => setBegun(undefined)} />}
      {isEnding && <Ending onClose={() => setIsEnding(false)} />}
    </>
  )
}

interface BeginningProps {
  readonly begun: { readonly secret: string; readonly address: string }
  readonly onClose: () => void
}

function Beginning({ begun: { secret, address }, onClose }: BeginningProps) {
  const [otp, setOtp] = useState('')
  const [codes, setCodes] = useState<readonly string[]>()
  const act = useAct()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    await act.run(async () => {
      const body = { second_factor: { otp } }
      const done = await confirmed((headers) =>
        call('post', '/api/second_factor', { headers, body }),
      )
      if (done === undefined) return
      setCodes(done.second_factor.recoveryCodes)
      invalidate('second_factor')
    })
  }
  if (codes !== undefined)
    return (
      <Dialog title="Recovery codes" onClose={onClose}>
        <p>
          The second factor is on. Each recovery code replaces the app once. Store the codes now:
          they are not shown again.
        </p>
        <ul className={styles.codes}>
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <DialogActions>
          <CopyButton text={codes.join('\n')} what="the recovery codes" />
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        </DialogActions>
      </Dialog>
    )
  return (
    <Dialog title="Turn on the second factor" onClose={onClose}>
      <form onSubmit={submit}>
        <p>
          Enter this secret in your authenticator app, or open <a href={address}>this link</a> on
          the device with the app.
        </p>
        <code className={styles.secret}>{secret}</code>
        <FormAlert>{act.errorBeside('otp')}</FormAlert>
        <Field
          label="Code from the app"
          autoComplete="one-time-code"
          inputMode="numeric"
          required
          value={otp}
          error={act.errorAt('otp')}
          onChange={(event) => setOtp(event.currentTarget.value)}
        />
        <DialogActions>
          <CopyButton text={secret} what="the secret" />
          <Button kind="primary" type="submit" isBusy={act.isBusy}>
            Turn on
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

function Ending({ onClose }: { readonly onClose: () => void }) {
  const [otp, setOtp] = useState('')
  const act = useAct()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    await act.run(async () => {
      const done = await confirmed((headers) =>
        call('delete', '/api/second_factor', {
          headers: { 'Weir-Otp': headerText(otp), ...headers },
        }),
      )
      if (done === undefined) return
      invalidate('second_factor')
      showToast('Second factor turned off.')
      onClose()
    })
  }
  return (
    <Dialog title="Turn off the second factor" onClose={onClose}>
      <form onSubmit={submit}>
        <FormAlert>{act.errorBeside('otp')}</FormAlert>
        <Field
          label="Code from your authenticator app, or a recovery code"
          autoComplete="one-time-code"
          required
          value={otp}
          error={act.errorAt('otp')}
          onChange={(event) => setOtp(event.currentTarget.value)}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="danger" type="submit" isBusy={act.isBusy}>
            Turn off
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
