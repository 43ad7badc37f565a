import { useEffect, useRef, useState } from 'react'
import { call, request } from '../../../api/client.ts'
import { useQuery } from '../../../api/use-query.ts'
import { Empty } from '../../../ui/empty.tsx'
import { Sparkline } from '../../../ui/sparkline.tsx'
import section from '../section.module.css'
import { figuresOf, type Look } from './health-figures.ts'
import styles from './health-section.module.css'
import { readMetrics } from './metrics-text.ts'
import { StorageState } from './storage-state.tsx'

const REFRESH_MS = 2_000
/** Ten minutes. */
const LOOKS_MAX = 300

/** How the service is: what it stores a second, how long calls take, journal, disk, memory. */
export function HealthSection() {
  const { data, error } = useQuery(
    ['storage', 'metrics'],
    async (signal) => {
      const text = await (await request('/api/storage/metrics', { signal })).text()
      return { at: performance.now(), metrics: readMetrics(text) }
    },
    { refreshMs: REFRESH_MS },
  )
  const storage = useQuery(['storage'], (signal) => call('get', '/api/storage', { signal }), {
    refreshMs: 10 * REFRESH_MS,
  })
  const looks = useLooks(data)
  if (error !== undefined && data === undefined) return <Empty text={error.message} />
  return (
    <div className={section.section}>
      <dl className={styles.figures}>
        {figuresOf(looks).map(({ label, text, points, isBad }) => (
          <div key={label} className={styles.figure} data-bad={isBad || undefined}>
            <dt>{label}</dt>
            <dd>
              <span className={styles.value}>{text}</span>
              <Sparkline
                points={points}
                label={`${label}, since this page was opened`}
                height={40}
              />
            </dd>
          </div>
        ))}
      </dl>
      <h2>Storage</h2>
      {storage.data !== undefined && <StorageState storage={storage.data.storage} />}
    </div>
  )
}

/** The looks since the page was opened, at most some minutes of them. */
function useLooks(look: Look | undefined): readonly Look[] {
  const [looks, setLooks] = useState<readonly Look[]>([])
  const last = useRef<Look>(undefined)
  useEffect(() => {
    if (look === undefined || last.current === look) return
    last.current = look
    setLooks((before) => [...before.slice(1 - LOOKS_MAX), look])
  }, [look])
  return looks
}
