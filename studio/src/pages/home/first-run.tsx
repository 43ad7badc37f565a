import { type ReactNode, useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { serviceAddress } from '../../api/base-path.ts'
import { call } from '../../api/client.ts'
import { invalidate, useQuery } from '../../api/use-query.ts'
import { OwnKeyRow } from '../../app/own-key-row.tsx'
import { useAddress } from '../../app/place.ts'
import { type OwnKey, useOwnKey } from '../../state/use-own-key.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { FormAlert } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import styles from './first-run.module.css'
import { snippets } from './snippets.ts'

/** By default the service listens on this machine alone. */
const ELSEWHERE =
  ' To send from another device, start the service with WEIR_HOST=0.0.0.0 and use the network address of this machine.'

const isLocal = /^(?:localhost|127\.|\[::1\])/.test(location.hostname)

/** How the first sample gets here: a key, a program that sends it, and the wait for it. */
export function FirstRun() {
  return (
    <SendSteps>
      <WaitStep />
    </SendSteps>
  )
}

/** A key, and code that sends samples with it; `children` are further steps. */
export function SendSteps({ children }: { readonly children?: ReactNode }) {
  const key = useOwnKey()
  return (
    <div className={styles.page}>
      <KeyStep of={key} />
      <SendStep of={key} />
      {children}
    </div>
  )
}

function KeyStep({ of: key }: { readonly of: OwnKey }) {
  return (
    <section className={styles.step} aria-labelledby="first-key">
      <h2 id="first-key">1. Create an API key</h2>
      <OwnKeyRow of={key} />
    </section>
  )
}

function SendStep({ of: key }: { readonly of: OwnKey }) {
  const { query, change } = useAddress()
  const chosen = snippets.find(({ id }) => id === query.get('with')) ?? snippets[0]
  const [address, setAddress] = useState<string>()
  const addresses = useAddresses()
  // A board on the network reaches this machine by none of the addresses that only this machine has.
  const fallback =
    chosen.isForDevices && isLocal ? addresses.find((one) => one !== serviceAddress) : undefined
  const used = address ?? fallback ?? serviceAddress
  const write = (secret: string) => chosen.write({ address: used, key: secret })
  const canCopy = key.secret !== undefined || key.text === 'YOUR_KEY'
  return (
    <section className={styles.step} aria-labelledby="first-send">
      <h2 id="first-send">2. Send a sample</h2>
      <Tabs
        label="Program"
        tabs={snippets}
        chosen={chosen.id}
        onChoose={(id) => change({ with: id })}
      >
        {addresses.length > 1 && (
          <Select
            label="Address of the service"
            value={used}
            choices={addresses.map((one) => ({ value: one, label: one }))}
            onChoose={setAddress}
          />
        )}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
        <pre className={styles.code} tabIndex={0}>
          {write(key.text)}
        </pre>
        {canCopy ? (
          <CopyButton text={write(key.secret ?? key.text)} what=" the code with the key" />
        ) : (
          <p className={styles.hint}>View the key above to copy the code with the key.</p>
        )}
        <p className={styles.hint}>
          {chosen.hint}
          {isLocal && addresses.length === 1 && ELSEWHERE}
        </p>
      </Tabs>
    </section>
  )
}

/** The addresses of the service: that of this page, and those for other machines. */
function useAddresses(): readonly string[] {
  const { data } = useQuery(['component', 'overview'], (signal) =>
    call('get', '/api/overview', { signal }),
  )
  return [...new Set([serviceAddress, ...(data?.overview.addresses ?? [])])]
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
      <h2 id="first-wait">3. See the chart</h2>
      <FormAlert>{error}</FormAlert>
      <p className={styles.waiting} role="status">
        <span className={styles.dot} />
        Waiting for the first sample. Its chart appears here.
      </p>
      <Button isBusy={isBusy} onClick={send}>
        Send a test sample
      </Button>
    </section>
  )
}
