import { call } from '../../../api/client.ts'
import type { Schema } from '../../../api/paths.ts'
import { useQuery } from '../../../api/use-query.ts'
import { Moment } from '../../../ui/time/moment.tsx'
import styles from './derive.module.css'
import { valueWords } from './value-words.ts'

/** How often the state is refreshed. */
const REFRESH_MS = 5_000

interface DerivationStateProps {
  readonly componentUid: string
  readonly uid: string
  readonly zone: string
}

/** What has become of a derived stream: its last run, counts, and what went wrong last. */
export function DerivationState({ componentUid, uid, zone }: DerivationStateProps) {
  const { data } = useQuery(
    ['stream', componentUid, 'state', uid],
    (signal) =>
      call('get', '/api/component/{componentUid}/stream/{uid}', {
        path: { componentUid, uid },
        signal,
      }),
    { refreshMs: REFRESH_MS },
  )
  const status = data?.stream.derivationStatus
  if (status === undefined) return null
  const { lastRun, sampleCount, errorCount, lastError } = status
  return (
    <section className={styles.panel} aria-label="Status">
      <h2>Status</h2>
      <dl className={styles.facts}>
        <dt>Last calculation</dt>
        <dd>{lastRun === null ? 'Never' : <Moment time={lastRun} zone={zone} />}</dd>
        <dt>Samples stored</dt>
        <dd>{sampleCount.toLocaleString()}</dd>
        <dt>Formula errors (no result stored)</dt>
        <dd>{errorCount.toLocaleString()}</dd>
      </dl>
      {lastError !== null && <LastError error={lastError} zone={zone} />}
    </section>
  )
}

type Failure = NonNullable<Schema<'DerivationStatus'>['lastError']>

function LastError({ error, zone }: { readonly error: Failure; readonly zone: string }) {
  const { message, time, values } = error
  const given = Object.entries(values)
  return (
    <div className={styles.problem}>
      <p>
        {time === null ? 'Cannot calculate: ' : 'Last error: '}
        {message}
      </p>
      {time !== null && (
        <dl className={styles.facts}>
          <div>
            <dt>Time</dt>
            <dd>
              <Moment time={time} zone={zone} />
            </dd>
          </div>
          {given.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{valueWords(value)}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  )
}
