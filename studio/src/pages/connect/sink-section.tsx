import { useMemo } from 'react'
import { OwnKeyRow } from '../../app/own-key-row.tsx'
import { type KeyPurpose, useOwnKey } from '../../state/use-own-key.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import styles from './connect.module.css'
import type { Connector } from './connector-types.ts'
import { curlOf } from './curl-text.ts'
import type { StartingPoint } from './starting-points.ts'

interface SinkSectionProps {
  readonly connector: Connector
  /** What is sent; without, a file. */
  readonly example: StartingPoint | undefined
}

/** Where a connector is called, and how. */
export function SinkSection({ connector, example }: SinkSectionProps) {
  const { id, sinkUrl, isEnabled } = connector
  const purpose = useMemo(() => purposeOf(id), [id])
  const key = useOwnKey(purpose)
  const write = (secret: string) => curlOf({ url: sinkUrl, key: secret, call: example })
  const canCopy = key.secret !== undefined || key.text === 'YOUR_KEY'
  return (
    <section className={styles.part} aria-labelledby="sink-title">
      <h2 id="sink-title">Webhook URL</h2>
      <div className={styles.row}>
        <code className={styles.address}>{sinkUrl}</code>
        <CopyButton text={sinkUrl} what=" the URL" />
      </div>
      {!isEnabled && <p className={styles.soft}>Disabled: requests get status 404.</p>}
      <details>
        <summary>Call it with curl</summary>
        <div className={styles.part}>
          <OwnKeyRow of={key} />
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
          <pre className={styles.code} tabIndex={0}>
            {write(key.text)}
          </pre>
          {canCopy ? (
            <div>
              <CopyButton text={write(key.secret ?? key.text)} what=" the command with the key" />
            </div>
          ) : (
            <p className={styles.soft}>View the key above to copy the command with the key.</p>
          )}
        </div>
      </details>
    </section>
  )
}

/** A key for one sink, and nothing else. */
function purposeOf(id: string): KeyPurpose {
  const part = id.replaceAll('%', '%25').replaceAll('/', '%2F')
  return {
    resources: [`conn_sink/${part}`, 'conn_sink'],
    needs: 'POST',
    methods: ['PUT', 'POST', 'GET', 'DELETE'],
    name: `Sink ${id}`.slice(0, 100),
    description: 'Created on the connector page',
    does: 'can call this URL',
    may: 'The key can call this URL, nothing else.',
  }
}
