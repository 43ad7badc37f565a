import { sharedAddress } from '../../api/organization.ts'
import { useRole } from '../../api/session.ts'
import { Link } from '../../app/link.tsx'
import { componentPath, editStreamPath } from '../../app/paths.ts'
import { navigate, useAddress } from '../../app/place.ts'
import { type FoundStream, isUid, useStream } from '../../state/use-stream.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { PageFrame } from '../../ui/page-frame.tsx'
import { newAlertPath } from '../alerts/new-alert-path.ts'
import { PutOnBoardButton } from '../boards/put-on-board-button.tsx'
import { CompareButton } from '../view/compare-button.tsx'
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
          <CompareButton streams={[found]} onAdd={(name) => navigate(overlayOf(found, name))} />
          {found.kind === 'file' && role !== 'GUEST' && <a href="#upload">Upload files</a>}
          {role !== 'GUEST' && <Link to={editStreamPath(found)}>Edit</Link>}
          <CopyAddress />
          <PutOnBoardButton streams={[found]} title={found.streamName} />
          {found.kind !== 'file' && role !== 'GUEST' && (
            <Link to={newAlertPath(found)}>Create alert</Link>
          )}
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

/** The view of this stream with another series, in the range that is shown. */
function overlayOf({ componentUid, streamUid }: FoundStream, name: string): string {
  const query = new URLSearchParams(location.search)
  const own = `${componentUid}.${streamUid}`
  query.set('s', name === own ? own : `${own},${name}`)
  return `/view?${query}`
}
