import { call } from '../../api/client.ts'
import type { Schema } from '../../api/paths.ts'
import { useQuery } from '../../api/use-query.ts'
import { Link } from '../../app/link.tsx'
import { findPage } from '../../app/page-map.ts'
import { componentPath } from '../../app/paths.ts'
import { Age } from '../../ui/age.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Sparkline } from '../../ui/sparkline.tsx'
import styles from './arrival.module.css'

const REFRESH_MS = 2_000
const STREAMS_MAX = 6
const SAMPLES_MAX = 300

/** The first component, live: what has arrived, as it arrives. */
export function Arrival({ component }: { readonly component: Schema<'Component'> }) {
  const { id, uid, name } = component
  const { data: values, error } = useQuery(
    ['last_value', id],
    (signal) =>
      call('get', '/api/comp/{compId}/last_value', {
        path: { compId: id },
        query: { retStreamId: true, retFData: true },
        signal,
      }),
    { refreshMs: REFRESH_MS },
  )
  const to = componentPath(uid)
  if (error !== undefined && values === undefined) return <Empty text={error.message} />
  return (
    <div className={styles.arrival}>
      <p role="status">
        The first samples are here: <strong>{name}</strong>.{' '}
        {findPage(to) !== undefined && <Link to={to}>See all of it</Link>}
      </p>
      {values?.slice(0, STREAMS_MAX).map((sample) => (
        <LiveStream key={sample.streamId} compId={id} sample={sample} />
      ))}
    </div>
  )
}

function LiveStream({
  compId,
  sample,
}: {
  readonly compId: string
  readonly sample: Schema<'Sample'>
}) {
  const { streamId = '', fData, data, time } = sample
  const { data: samples = [] } = useQuery(
    ['feed', compId, streamId, 'latest'],
    (signal) =>
      call('get', '/api/comp/{compId}/stream/{streamId}/feed', {
        path: { compId, streamId },
        query: { limit: SAMPLES_MAX },
        signal,
      }),
    { refreshMs: REFRESH_MS },
  )
  const points = samples
    .flatMap(({ time: at, data: value }) => (typeof value === 'number' ? [{ at, value }] : []))
    .reverse()
  return (
    <article className={styles.stream} aria-label={streamId}>
      <span className={styles.name}>{streamId}</span>
      <span className={styles.value}>{fData ?? String(data)}</span>
      <span className={styles.age}>
        <Age time={time} />
      </span>
      {points.length > 0 && (
        <div className={styles.chart}>
          <Sparkline points={points} height={96} label={`${streamId}, the latest samples`} />
        </div>
      )}
    </article>
  )
}
