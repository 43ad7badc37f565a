import { useState } from 'react'
import { call } from '../../../api/client.ts'
import type { Schema } from '../../../api/paths.ts'
import { useAct } from '../../../api/use-act.ts'
import { Button } from '../../../ui/button.tsx'
import { FormAlert } from '../../../ui/field.tsx'
import styles from '../connect.module.css'

/** Signs in to the database and shows the outcome. */
export function ConnectionTest(props: { readonly uid: string; readonly isChanged: boolean }) {
  const { uid, isChanged } = props
  const [found, setFound] = useState<Schema<'ConnectionTest'>>()
  const act = useAct()
  const run = () =>
    act.run(async () => {
      setFound(undefined)
      const { test } = await call('post', '/api/connection/{uid}/test', { path: { uid } })
      setFound(test)
    })
  return (
    <section className={styles.part} aria-label="Test">
      <div className={styles.row}>
        <Button isBusy={act.isBusy} disabled={isChanged} onClick={() => void run()}>
          Test connection
        </Button>
        <span className={styles.soft} role="status">
          {act.isBusy && 'Signing in (up to 10 seconds) …'}
          {!act.isBusy && isChanged && 'Save first. The test uses the saved settings.'}
        </span>
      </div>
      <FormAlert>
        {act.error?.message ??
          (found?.isOk === false ? `Connection failed: ${found.message}` : undefined)}
      </FormAlert>
      {found?.isOk === true && (
        <p className={styles.fine} role="status">
          Connected in {found.tookMs.toLocaleString()} ms. {found.message}
        </p>
      )}
    </section>
  )
}
