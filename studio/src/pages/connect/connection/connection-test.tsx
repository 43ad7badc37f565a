import { useState } from 'react'
import { call } from '../../../api/client.ts'
import type { Schema } from '../../../api/paths.ts'
import { useAct } from '../../../api/use-act.ts'
import { Button } from '../../../ui/button.tsx'
import { FormAlert } from '../../../ui/field.tsx'
import styles from '../connect.module.css'

/** Signs in to the database and tells what came of it. */
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
          Test the connection
        </Button>
        <span className={styles.soft} role="status">
          {act.isBusy && 'Signing in, for 10 seconds at most …'}
          {!act.isBusy && isChanged && 'Save first: what is saved is tested.'}
        </span>
      </div>
      <FormAlert>
        {act.error?.message ??
          (found?.isOk === false ? `It does not work: ${found.message}` : undefined)}
      </FormAlert>
      {found?.isOk === true && (
        <p className={styles.fine} role="status">
          It works, in {found.tookMs.toLocaleString()} ms. {found.message}
        </p>
      )}
    </section>
  )
}
