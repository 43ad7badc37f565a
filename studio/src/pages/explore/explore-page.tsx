import { useLive, useLiveState } from '../../api/live.ts'
import { useRole } from '../../api/session.ts'
import { invalidate } from '../../api/use-query.ts'
import { Link } from '../../app/link.tsx'
import type { PageProps } from '../../app/page-entry.ts'
import { editComponentPath } from '../../app/paths.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { PageFrame } from '../../ui/page-frame.tsx'
import { useSeldom } from '../../ui/use-seldom.ts'
import styles from './explore.module.css'
import { StreamList } from './stream-list.tsx'
import { TreePanel } from './tree-panel.tsx'
import { ROOT } from './tree-rows.ts'
import { type FoundComponent, useComponent } from './use-component.ts'

/** Streams that come one by one are asked for together. */
const REFRESH = { soonMs: 100, everyMs: 2_000 }

/** The tree and, beside it, the component that is chosen; on a phone one of the two. */
export function ExplorePage({ params }: PageProps) {
  const { component } = params
  return component === undefined ? <NothingChosen /> : <Chosen name={component} />
}

function NothingChosen() {
  return (
    <div className={styles.explore} data-tree>
      <TreePanel />
      <PageFrame title="Explore">
        <Empty text="Choose a component to see its streams." />
      </PageFrame>
    </div>
  )
}

function Chosen({ name }: { readonly name: string }) {
  const { data: found, error } = useComponent(name)
  const uid = found?.component.uid
  const refresh = useSeldom(() => invalidate('component', 'page'), REFRESH)
  useLive(
    [{ catalog: true }],
    (events) => {
      const isOwn = events.some(
        ({ event, data }) =>
          event === 'catalog' && (data.isMore || data.components.includes(uid ?? '')),
      )
      if (isOwn) refresh()
    },
    { isOff: uid === undefined },
  )
  return (
    <div className={styles.explore}>
      <TreePanel shown={uid} folder={found?.component.folder} />
      {found === undefined ? (
        <PageFrame title="Component">{error && <Empty text={error.message} />}</PageFrame>
      ) : (
        <ComponentView key={found.component.uid} found={found} />
      )}
    </div>
  )
}

function ComponentView({ found }: { readonly found: FoundComponent }) {
  const { component, streams } = found
  const title = component.name || component.id || 'without a name'
  const role = useRole()
  return (
    <PageFrame
      title={title}
      heading={
        <>
          <Link className={styles.back} to="/c">
            All components
          </Link>
          <span className={styles.title} title={title}>
            {title}
          </span>
        </>
      }
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
    refused: 'Not live: too many pages are open',
  }
  return (
    <span className={styles.live} data-state={state} role="status">
      {words[state]}
    </span>
  )
}

function NoStreams({ compId }: { readonly compId: string }) {
  if (compId === '') {
    return <Empty text="A component without an ID gets streams where it is built." />
  }
  const address = `${location.origin}/api/feed?compId=${encodeURIComponent(compId)}&temp=21.5`
  const line = `curl -X PUT -H "X-Api-Key: YOUR_KEY" "${address}"`
  return (
    <Empty text="Streams appear here with their first sample:">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <pre className={styles.curl} tabIndex={0}>
        {line}
      </pre>
      <CopyButton text={line} what=" this line" />
    </Empty>
  )
}
