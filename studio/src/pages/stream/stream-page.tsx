import { sharedAddress } from '../../api/organization.ts'
import { useRole } from '../../api/session.ts'
import { Link } from '../../app/link.tsx'
import { componentPath, editStreamPath } from '../../app/paths.ts'
import { useAddress } from '../../app/place.ts'
import { type FoundStream, isUid, useStream } from '../../state/use-stream.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { PageFrame } from '../../ui/page-frame.tsx'
import { PutOnBoardButton } from '../boards/put-on-board-button.tsx'
import { isDerived } from './derived-line.tsx'
import styles from './stream.module.css'
import { StreamView } from './stream-view.tsx'

interface StreamPageProps {
  readonly component: string
  readonly stream: string
}

/** A stream that the address names: `/c/<component>/<stream>`, by IDs or UIDs. */
export function StreamPage({ component, stream }: StreamPageProps) {
  const { data: found, error } = useStream(component, stream)
  const role = useRole()
  if (error !== undefined && found === undefined) {
    return (
      <PageFrame title="Stream">
        <Empty text={error.message}>
          <Link to="/">Home</Link>
        </Empty>
      </PageFrame>
    )
  }
  if (found === undefined)
    return <PageFrame title={isUid(stream) ? 'Stream' : stream}>{null}</PageFrame>
  return (
    <PageFrame
      title={`${found.streamName} · ${found.componentName}`}
      heading={<Heading found={found} />}
      foldsActions
      actions={
        <>
          <Link to={overlayOf(found)}>Compare …</Link>
          {found.kind === 'file' && role !== 'GUEST' && <a href="#upload">Upload files</a>}
          {role !== 'GUEST' && <Link to={editStreamPath(found)}>Edit</Link>}
          <CopyAddress />
          <PutOnBoardButton streams={[found]} title={found.streamName} />
        </>
      }
    >
      <StreamView
        key={found.streamUid}
        found={found}
        canChange={role !== 'GUEST' && !isDerived(found)}
      />
    </PageFrame>
  )
}

/**
 * Copies the current address. A component of its own, because the address changes with every movement and the page
 * around it does not.
 */
function CopyAddress() {
  useAddress()
  return <CopyButton text={sharedAddress()} label="Copy link" />
}

function Heading({ found }: { readonly found: FoundStream }) {
  const { componentName, componentUid, streamName } = found
  return (
    <>
      <span className={styles.component} title={componentName}>
        <Link to={componentPath(componentUid)}>{componentName}</Link>
      </span>
      {' / '}
      {streamName}
    </>
  )
}

/** The view of several streams that begins with this one. */
function overlayOf({ componentUid, streamUid }: FoundStream): string {
  return `/view?s=${componentUid}.${streamUid}`
}
