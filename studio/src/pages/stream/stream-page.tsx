import { sharedAddress } from '../../api/organization.ts'
import { useRole } from '../../api/session.ts'
import { Link } from '../../app/link.tsx'
import type { PageProps } from '../../app/page-entry.ts'
import { findPage } from '../../app/page-map.ts'
import { componentPath, editStreamPath } from '../../app/paths.ts'
import { useAddress } from '../../app/place.ts'
import { type FoundStream, useStream } from '../../state/use-stream.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { PageFrame } from '../../ui/page-frame.tsx'
import { PutOnBoardButton } from '../boards/put-on-board-button.tsx'
import styles from './stream.module.css'
import { StreamView } from './stream-view.tsx'

/** A stream that the address names: `/c/<component>/<stream>`, by IDs or UIDs. */
export function StreamPage({ params }: PageProps) {
  const { component, stream } = params
  const { data: found, error } = useStream(component, stream)
  const role = useRole()
  if (error !== undefined && found === undefined) {
    return (
      <PageFrame title="Stream">
        <Empty text={error.message}>
          <Link to="/">To the beginning</Link>
        </Empty>
      </PageFrame>
    )
  }
  if (found === undefined) return <PageFrame title={stream}>{null}</PageFrame>
  return (
    <PageFrame
      title={`${found.streamName} · ${found.componentName}`}
      heading={<Heading found={found} />}
      actions={
        <>
          <Link to={overlayOf(found)}>Overlay others</Link>
          <Link to={editStreamPath(found)}>Edit</Link>
          <CopyAddress />
          <PutOnBoardButton streams={[found]} title={found.streamName} />
        </>
      }
    >
      <StreamView key={found.streamUid} found={found} canChange={role !== 'GUEST'} />
    </PageFrame>
  )
}

/** The address as it stands: it changes with every movement, and the page around it does not. */
function CopyAddress() {
  useAddress()
  return <CopyButton text={sharedAddress()} label="Copy link" />
}

function Heading({ found }: { readonly found: FoundStream }) {
  const to = componentPath(found.componentUid)
  return (
    <span className={styles.heading} title={`${found.componentName} / ${found.streamName}`}>
      <span className={styles.component}>
        {findPage(to) === undefined ? (
          found.componentName
        ) : (
          <Link to={to}>{found.componentName}</Link>
        )}
        {' / '}
      </span>
      {found.streamName}
    </span>
  )
}

/** The view of several streams that begins with this one. */
function overlayOf({ componentUid, streamUid }: FoundStream): string {
  return `/view?s=${componentUid}.${streamUid}`
}
