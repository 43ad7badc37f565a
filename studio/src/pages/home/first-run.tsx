import { useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { call } from '../../api/client.ts'
import { useRole } from '../../api/session.ts'
import { invalidate } from '../../api/use-query.ts'
import { useAddress } from '../../app/place.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { FormAlert } from '../../ui/field.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import styles from './first-run.module.css'
import { snippets } from './snippets.ts'
import { type FirstKey, useFirstKey } from './use-first-key.ts'

const HIDDEN = '••••••••••••••••'
const ADMINISTRATORS = ['OWNER', 'ADMIN']

/** How the first sample gets here: a key, a program that sends it, and the wait for it. */
export function FirstRun() {
  const key = useFirstKey()
  return (
    <div className={styles.page}>
      <KeyStep of={key} />
      <SendStep of={key} />
      <WaitStep />
    </div>
  )
}

function KeyStep({ of: key }: { readonly of: FirstKey }) {
  const role = useRole()
  const isAdministrator = ADMINISTRATORS.includes(role)
  return (
    <section className={styles.step} aria-labelledby="first-key">
      <h2 id="first-key">1. A key for the device</h2>
      {!isAdministrator && (
        <p className={styles.soft}>Ask an administrator of your organization for an API key.</p>
      )}
      {isAdministrator && key.secret === undefined && (
        <>
          <p className={styles.soft}>
            It puts and reads samples and may do nothing else. The feed key that the first start
            printed does as well.
          </p>
          <FormAlert>{key.error?.message}</FormAlert>
          <Button kind="primary" icon="key" isBusy={key.isBusy} onClick={key.make}>
            Make a key
          </Button>
        </>
      )}
      {key.secret !== undefined && (
        <div className={styles.row}>
          <code>{key.isShown ? key.secret : HIDDEN}</code>
          <Button onClick={() => key.setShown(!key.isShown)}>
            {key.isShown ? 'Hide' : 'Show'}
            <span className="visually-hidden"> the key</span>
          </Button>
          <CopyButton text={key.secret} what=" the key" />
        </div>
      )}
    </section>
  )
}

function SendStep({ of: key }: { readonly of: FirstKey }) {
  const { query, change } = useAddress()
  const chosen = snippets.find(({ id }) => id === query.get('with')) ?? snippets[0]
  const write = (secret: string) => chosen.write({ address: location.origin, key: secret })
  const shown = key.secret === undefined ? 'YOUR_KEY' : key.isShown ? key.secret : HIDDEN
  const isLocal = /^(?:localhost|127\.|\[::1\])/.test(location.hostname)
  return (
    <section className={styles.step} aria-labelledby="first-send">
      <h2 id="first-send">2. Send a sample</h2>
      <Tabs
        label="With what to send"
        tabs={snippets}
        chosen={chosen.id}
        onChoose={(id) => change({ with: id })}
      >
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
        <pre className={styles.code} tabIndex={0}>
          {write(shown)}
        </pre>
        <CopyButton text={write(key.secret ?? 'YOUR_KEY')} what=" this text, with the key" />
        <p className={styles.hint}>
          {chosen.hint}
          {isLocal && ' A device elsewhere needs the address of this machine in your network.'}
        </p>
      </Tabs>
    </section>
  )
}

function WaitStep() {
  const [error, setError] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  const send = async () => {
    setIsBusy(true)
    setError(undefined)
    try {
      const streams = { temp: '21.5', humidity: '48' }
      await call('put', '/api/feed', { query: { compId: 'greenhouse', streams } })
      invalidate('component')
    } catch (thrown) {
      setError(asApiError(thrown).message)
    }
    setIsBusy(false)
  }
  return (
    <section className={styles.step} aria-labelledby="first-wait">
      <h2 id="first-wait">3. See it arrive</h2>
      <FormAlert>{error}</FormAlert>
      <p className={styles.waiting} role="status">
        <span className={styles.dot} />
        Waiting for the first sample: this page turns into its chart.
      </p>
      <Button isBusy={isBusy} onClick={send}>
        Send one from this page
      </Button>
    </section>
  )
}
