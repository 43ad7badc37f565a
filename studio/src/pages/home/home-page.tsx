import { lazy, Suspense, useEffect, useRef } from 'react'
import { call } from '../../api/client.ts'
import { usePerson } from '../../api/session.ts'
import { useQuery } from '../../api/use-query.ts'
import { lastSeen } from '../../app/last-seen.ts'
import { findPage } from '../../app/page-map.ts'
import { navigate } from '../../app/place.ts'
import { Empty } from '../../ui/empty.tsx'
import { PageFrame } from '../../ui/page-frame.tsx'
import { FirstRun } from './first-run.tsx'

const LOOK_MS = 2_000

/** Charts are fetched when there is something to draw. */
const Arrival = lazy(async () => ({ default: (await import('./arrival.tsx')).Arrival }))

/** The first run, which turns into a chart; after it, the component that was seen last. */
export function HomePage() {
  const { orgUid } = usePerson()
  const wasEmpty = useRef(false)
  const { data, error } = useQuery(
    ['component', 'first'],
    (signal) => call('get', '/api/component', { query: { limit: 1 }, signal }),
    { refreshMs: LOOK_MS },
  )
  const count = data?.totalCount
  if (count === 0) wasEmpty.current = true
  const hasArrived = count !== undefined && count > 0
  const next = [lastSeen(orgUid), '/c'].find((path) => path !== undefined && findPage(path))
  const isPassing = hasArrived && !wasEmpty.current && next !== undefined
  useEffect(() => {
    if (isPassing) navigate(next, { replace: true })
  }, [isPassing, next])
  if (data === undefined) return error === undefined ? null : <Empty text={error.message} />
  if (isPassing) return null
  return (
    <PageFrame title={hasArrived ? 'Your data' : 'Your first sample'}>
      {hasArrived ? (
        <Suspense fallback={null}>
          <Arrival component={data.component[0]} />
        </Suspense>
      ) : (
        <FirstRun />
      )}
    </PageFrame>
  )
}
