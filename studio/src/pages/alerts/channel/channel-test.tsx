import { useState } from 'react'
import { call } from '../../../api/client.ts'
import type { Schema } from '../../../api/paths.ts'
import { useAct } from '../../../api/use-act.ts'
import { Button } from '../../../ui/button.tsx'
import { FormAlert } from '../../../ui/field.tsx'
import styles from '../../connect/connect.module.css'

/** Sends a test message and shows the result. */
export function ChannelTest(props: { readonly uid: string; readonly isChanged: boolean }) {
  const { uid, isChanged } = props
  const [found, setFound] = useState<Schema<'ChannelTest'>>()
  const act = useAct()
  const run = () =>
    act.run(async () => {
      setFound(undefined)
      const { test } = await call('post', '/api/channel/{uid}/test', { path: { uid } })
      setFound(test)
    })
  return (
    <section className={styles.part} aria-label="Test">
      <div className={styles.row}>
        <Button isBusy={act.isBusy} disabled={isChanged} onClick={() => void run()}>
          Send test message
        </Button>
        <span className={styles.soft} role="status">
          {act.isBusy && 'Sending (up to 10 seconds) …'}
          {!act.isBusy && isChanged && 'Save first. The test uses the saved settings.'}
        </span>
      </div>
      <FormAlert>
        {act.error?.message ??
          (found?.isOk === false ? `Not delivered: ${found.message}` : undefined)}
      </FormAlert>
      {found?.isOk === true && (
        <p className={styles.fine} role="status">
          Delivered in {found.tookMs.toLocaleString()} ms. {found.message}
        </p>
      )}
    </section>
  )
}
