import { call } from '../../api/client.ts'
import type { Schema } from '../../api/paths.ts'
import { useQuery } from '../../api/use-query.ts'
import { Link } from '../../app/link.tsx'
import { componentPath } from '../../app/paths.ts'
import { Empty } from '../../ui/empty.tsx'
import styles from './arrival.module.css'
import { LiveChart } from './live-chart.tsx'

/** A device that has just begun may send further streams a little later. */
const LOOK_MS = 5_000
const STREAMS_MAX = 8

/** The first component, live: what has arrived, as it arrives. */
export function Arrival({ component }: { readonly component: Schema<'Component'> }) {
  const { uid, name, timeZoneId } = component
  const { data, error } = useQuery(
    ['stream', uid, 'first'],
    (signal) =>
      call('get', '/api/component/{componentUid}/stream', {
        path: { componentUid: uid },
        query: { limit: STREAMS_MAX },
        signal,
      }),
    { refreshMs: LOOK_MS },
  )
  if (data === undefined) return error === undefined ? null : <Empty text={error.message} />
  return (
    <div className={styles.arrival}>
      <p role="status">
        First samples received: <strong>{name}</strong>. New samples appear immediately. Send
        another one.
      </p>
      <section className={styles.card} aria-label="Chart">
        <LiveChart componentUid={uid} zone={timeZoneId} streams={data.stream} />
      </section>
      <p>
        Times in <strong>{timeZoneId}</strong>. <Link to={componentPath(uid)}>Open {name}</Link>
      </p>
    </div>
  )
}
