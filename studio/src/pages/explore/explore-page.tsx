import { lazy, Suspense, useEffect, useRef } from 'react'
import type { PageProps } from '../../app/page-entry.ts'
import { useStream } from '../../state/use-stream.ts'
import { Empty } from '../../ui/empty.tsx'
import { PageFrame } from '../../ui/page-frame.tsx'
import { ComponentPage } from './component-page.tsx'
import styles from './explore.module.css'
import { TreePanel } from './tree-panel.tsx'
import { useComponent } from './use-component.ts'

/** Charts are fetched when a stream is near. */
const loadStreamPage = () => import('../stream/stream-page.tsx')
const StreamPage = lazy(async () => ({ default: (await loadStreamPage()).StreamPage }))

/** What of the tree is marked: the component that is seen, or whose stream is. */
interface Marked {
  readonly uid: string
  readonly folder: string
}

/** The tree and, beside it, the component or stream that is chosen; where there is no room, one of the two. */
export function ExplorePage({ params }: PageProps) {
  const { component, stream } = params
  const marked = useMarked(component, stream)
  useEffect(() => {
    // A user who views a component opens a stream next. If loading fails, it is repeated then.
    if (component !== undefined) void loadStreamPage().catch(() => {})
  }, [component])
  return (
    <div
      className={styles.explore}
      data-tree={component === undefined || undefined}
      data-stream={stream !== undefined || undefined}
    >
      <TreePanel shown={marked?.uid} folder={marked?.folder} />
      {component === undefined && (
        <PageFrame title="Explore">
          <Empty text="Choose a component to see its streams." />
        </PageFrame>
      )}
      {component !== undefined && stream === undefined && <ComponentPage name={component} />}
      {component !== undefined && stream !== undefined && (
        <Suspense fallback={<PageFrame title="Stream">{null}</PageFrame>}>
          <StreamPage component={component} stream={stream} />
        </Suspense>
      )}
    </div>
  )
}

/** The component of the address; while its next page loads, as it was. */
function useMarked(component = '', stream = ''): Marked | undefined {
  const whole = useComponent(component, { isOff: component === '' || stream !== '' })
  const part = useStream(component, stream, { isOff: stream === '' })
  const last = useRef<{ readonly of: string; readonly marked: Marked } | undefined>(undefined)
  const found =
    stream === ''
      ? whole.data?.component
      : part.data && { uid: part.data.componentUid, folder: part.data.folder }
  if (component !== '' && found !== undefined) {
    last.current = { of: component, marked: { uid: found.uid, folder: found.folder } }
  }
  return last.current?.of === component ? last.current.marked : undefined
}
