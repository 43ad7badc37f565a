import { useLive, useLiveState } from '../../api/live.ts'
import { useRole } from '../../api/session.ts'
import { invalidate } from '../../api/use-query.ts'
import { Breadcrumbs } from '../../app/breadcrumbs.tsx'
import { Link } from '../../app/link.tsx'
import { editComponentPath } from '../../app/paths.ts'
import { Empty } from '../../ui/empty.tsx'
import { PageFrame } from '../../ui/page-frame.tsx'
import { useSeldom } from '../../ui/use-seldom.ts'
import styles from './explore.module.css'
import { NoStreams } from './no-streams.tsx'
import { StreamList } from './stream-list.tsx'
import { ROOT } from './tree-rows.ts'
import { type FoundComponent, useComponent } from './use-component.ts'

/** Streams that come one by one are asked for together. */
const REFRESH = { soonMs: 100, everyMs: 2_000 }

/** A component that the address names, with its streams. */
export function ComponentPage({ name }: { readonly name: string }) {
  const { data: found, error } = useComponent(name)
  const uid = found?.component.uid
  const refresh = useSeldom(() => invalidate('component', 'page'), REFRESH)
  useLive([{ catalog: true }], (events) => {
    const isOwn = events.some(
      ({ event, data }) =>
        event === 'catalog' &&
        // Until the component is known, a change may be of it.
        (data.isMore || uid === undefined || data.components.includes(uid)),
    )
    if (isOwn) refresh()
  })
  if (found === undefined) {
    return <PageFrame title="Component">{error && <Empty text={error.message} />}</PageFrame>
  }
  return <ComponentView key={found.component.uid} found={found} />
}

function ComponentView({ found }: { readonly found: FoundComponent }) {
  const { component, streams } = found
  const title = component.name || component.id || 'Unnamed'
  const role = useRole()
  return (
    <PageFrame
      title={title}
      above={<Breadcrumbs of={[{ to: '/c', label: 'Devices' }]} />}
      actions={
        <>
          <LiveMark />
          {role !== 'GUEST' && <Link to={editComponentPath(component.uid)}>Edit</Link>}
        </>
      }
    >
      <p className={styles.facts}>
        {[
          component.folder.slice(ROOT.length + 1),
          component.id === title ? '' : component.id,
          component.timeZoneId,
        ]
          .filter((fact) => fact !== '')
          .map((fact) => (
            <span key={fact} title={fact}>
              {fact}
            </span>
          ))}
        {component.description !== '' && (
          <span className={styles.description}>{component.description}</span>
        )}
      </p>
      {streams.length === 0 ? <NoStreams compId={component.id} /> : <StreamList found={found} />}
    </PageFrame>
  )
}

/** Whether what is seen follows what happens. */
function LiveMark() {
  const state = useLiveState()
  const words = {
    off: 'Paused',
    connecting: 'Connecting …',
    live: 'Live',
    looking: 'Updated every 5 seconds (too many live windows)',
    refused: 'Not live (too many open windows)',
  }
  return (
    <span className={styles.live} data-state={state} role="status">
      {words[state]}
    </span>
  )
}
