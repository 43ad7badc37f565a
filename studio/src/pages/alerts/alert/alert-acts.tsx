import { call } from '../../../api/client.ts'
import { queries } from '../../../api/query-cache.ts'
import { recordKey } from '../../../api/records.ts'
import { useAct } from '../../../api/use-act.ts'
import { Button } from '../../../ui/button.tsx'
import { FormAlert } from '../../../ui/field.tsx'
import { Moment } from '../../../ui/time/moment.tsx'
import { showToast } from '../../../ui/toast.tsx'
import styles from '../../connect/connect.module.css'
import type { Alert } from './alert-words.ts'

const HOUR_MS = 3_600_000

/** Muting and acknowledging. */
export function AlertActs({ alert }: { readonly alert: Alert }) {
  const { uid, mute, firingCount } = alert
  const act = useAct()
  const done = (text: string) => {
    queries.invalidate(recordKey('alert'))
    showToast(text)
  }
  const setMute = (next: { readonly untilMs: number | null } | null, text: string) =>
    act.run(async () => {
      await call('post', '/api/alert/{uid}/mute', { path: { uid }, body: { mute: next } })
      done(text)
    })
  const acknowledge = () =>
    act.run(async () => {
      await call('post', '/api/alert/{uid}/acknowledge', {
        path: { uid },
        body: { acknowledge: {} },
      })
      done('Acknowledged.')
    })
  return (
    <section className={styles.part} aria-label="Actions">
      <div className={styles.row}>
        {firingCount > 0 && (
          <Button isBusy={act.isBusy} onClick={() => void acknowledge()}>
            Acknowledge
          </Button>
        )}
        {mute === null ? (
          <>
            <Button
              isBusy={act.isBusy}
              onClick={() => void setMute({ untilMs: Date.now() + HOUR_MS }, 'Muted for an hour.')}
            >
              Mute for an hour
            </Button>
            <Button isBusy={act.isBusy} onClick={() => void setMute({ untilMs: null }, 'Muted.')}>
              Mute
            </Button>
          </>
        ) : (
          <>
            <Button isBusy={act.isBusy} onClick={() => void setMute(null, 'Unmuted.')}>
              Unmute
            </Button>
            <span className={styles.soft}>
              Muted by {mute.by || 'somebody'}
              {mute.untilMs !== null && (
                <>
                  {' '}
                  until <Moment time={mute.untilMs} />
                </>
              )}
            </span>
          </>
        )}
      </div>
      <FormAlert>{act.error?.message}</FormAlert>
    </section>
  )
}
