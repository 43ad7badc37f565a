import { lazy, Suspense, useEffect, useRef } from 'react'
import type { PageProps } from '../../app/page-entry.ts'
import { useAddress } from '../../app/place.ts'
import { useStream } from '../../state/use-stream.ts'
import { Button } from '../../ui/button.tsx'
import { PageFrame } from '../../ui/page-frame.tsx'
import { ComponentPage } from './component-page.tsx'
import { DeviceList } from './devices/device-list.tsx'
import styles from './explore.module.css'
import { TreePanel } from './tree-panel.tsx'
import { useComponent } from './use-component.ts'
import type { Located } from './use-tree.ts'

/** Charts are fetched when a stream is near. */
const loadStreamPage = () => import('../stream/stream-page.tsx')
const StreamPage = lazy(async () => ({ default: (await loadStreamPage()).StreamPage }))

/** The tree and, beside it, the component or stream that is chosen; where there is no room, one of the two. */
export function ExplorePage({ params }: PageProps) {
  const { component, stream } = params
  const { query } = useAddress()
  const isTree = component === undefined && query.get('show') === 'tree'
  const marked = useMarked(component, stream)
  useEffect(() => {
    // A user who views a component opens a stream next. If loading fails, it is repeated then.
    if (component !== undefined) void loadStreamPage().catch(() => {})
  }, [component])
  return (
    <div
      className={styles.explore}
      data-tree={isTree || undefined}
      data-stream={stream !== undefined || undefined}
    >
      <TreePanel shown={marked} />
      {component === undefined && (
        <PageFrame title="Devices" actions={<TreeLink isTree={isTree} />}>
          <DeviceList />
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

/** Where there is no room for both, a way between the list and the tree. */
function TreeLink({ isTree }: { readonly isTree: boolean }) {
  const { change } = useAddress()
  return (
    <Button
      kind="plain"
      className={styles.toTree}
      onClick={() => change({ show: isTree ? '' : 'tree' }, { step: true })}
    >
      {isTree ? 'List' : 'Folders'}
    </Button>
  )
}

/** The component of the address; while its next page loads, as it was. */
function useMarked(component = '', stream = ''): Located | undefined {
  const whole = useComponent(component, { isOff: component === '' || stream !== '' })
  const part = useStream(component, stream, { isOff: stream === '' })
  const last = useRef<{ readonly of: string; readonly marked: Located } | undefined>(undefined)
  const found =
    stream === ''
      ? whole.data?.component
      : part.data && {
          uid: part.data.componentUid,
          name: part.data.componentName,
          folder: part.data.folder,
        }
  if (component !== '' && found !== undefined) {
    const { uid, name, folder } = found
    last.current = { of: component, marked: { uid, name, folder } }
  }
  return last.current?.of === component ? last.current.marked : undefined
}
