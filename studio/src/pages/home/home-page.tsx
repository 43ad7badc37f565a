import { lazy, Suspense, useRef } from 'react'
import { call } from '../../api/client.ts'
import { useRole } from '../../api/session.ts'
import { useQuery } from '../../api/use-query.ts'
import { Empty } from '../../ui/empty.tsx'
import { PageFrame } from '../../ui/page-frame.tsx'
import { FirstRun } from './first-run.tsx'

/** While nothing has arrived, people wait for it. */
const LOOK_MS = 2_000
const REFRESH_MS = 10_000

/** Charts are fetched when there is something to draw. */
const Arrival = lazy(async () => ({ default: (await import('./arrival.tsx')).Arrival }))
const OverviewPage = lazy(async () => ({
  default: (await import('./overview.tsx')).OverviewPage,
}))

/** The first run, which turns into a chart; once there are samples, the overview. */
export function HomePage() {
  const wasEmpty = useRef(false)
  const hasSamples = useRef(false)
  const isGuest = useRole() === 'GUEST'
  const { data, error } = useQuery(
    ['component', 'overview'],
    (signal) => call('get', '/api/overview', { signal }),
    { refreshMs: hasSamples.current ? REFRESH_MS : LOOK_MS },
  )
  if (data === undefined) return error === undefined ? null : <Empty text={error.message} />
  const { overview } = data
  hasSamples.current = overview.lastContact !== null
  if (!hasSamples.current && isGuest) {
    return (
      <PageFrame title="Overview">
        <Empty text="No samples yet. Devices appear here when they send samples." />
      </PageFrame>
    )
  }
  if (!hasSamples.current) {
    wasEmpty.current = true
    return (
      <PageFrame title="Your first sample">
        <FirstRun />
      </PageFrame>
    )
  }
  return (
    <Suspense fallback={null}>
      {wasEmpty.current ? <ArrivalPage /> : <OverviewPage overview={overview} />}
    </Suspense>
  )
}

/** The component that has just sent the first sample. */
function ArrivalPage() {
  const { data, error } = useQuery(['component', 'first'], async (signal) => {
    const query = { sort: 'lastContact', order: 'desc', limit: 1 } as const
    const { device } = await call('get', '/api/device', { query, signal })
    const path = { uid: device[0]?.uid ?? '' }
    return await call('get', '/api/component/{uid}', { path, signal })
  })
  return (
    <PageFrame title="Your data">
      {data !== undefined && <Arrival component={data.component} />}
      {data === undefined && error !== undefined && <Empty text={error.message} />}
    </PageFrame>
  )
}
