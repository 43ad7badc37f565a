import { call } from '../../api/client.ts'
import { getRecord, recordKey } from '../../api/records.ts'
import { useQuery } from '../../api/use-query.ts'
import { Link } from '../../app/link.tsx'
import type { PageProps } from '../../app/page-entry.ts'
import { editComponentPath, streamPath } from '../../app/paths.ts'
import { SectionFrame } from '../../app/section-frame.tsx'
import { Empty } from '../../ui/empty.tsx'
import { BUILD, listPath } from './build-section.ts'
import { shownName } from './form.ts'
import { StreamEditor } from './stream-editor.tsx'

/** The editor of one stream of a component; `new` in the place of its UID adds one. */
export function StreamPage({ params }: PageProps) {
  const { uid, stream } = params
  const component = useQuery(recordKey('component', uid), (signal) =>
    getRecord('component', uid, signal),
  )
  const found = useQuery(['stream', uid, 'one', stream], async (signal) => {
    const path = { componentUid: uid, uid: stream }
    return stream === 'new'
      ? call('get', '/api/component/{componentUid}/stream/new', { path, signal })
      : call('get', '/api/component/{componentUid}/stream/{uid}', { path, signal })
  })
  const error = component.error ?? found.error
  const saved = found.data?.stream
  const title = stream === 'new' ? 'New stream' : saved === undefined ? 'Stream' : shownName(saved)
  const owner = component.data === undefined ? 'Component' : shownName(component.data)
  return (
    <SectionFrame
      section={BUILD}
      here={listPath('component')}
      trail={[{ to: editComponentPath(uid), label: owner }]}
      title={title}
      actions={stream === 'new' ? undefined : <Link to={streamPath(uid, stream)}>View data</Link>}
    >
      {error !== undefined && saved === undefined && <Empty text={error.message} />}
      {saved !== undefined && component.data !== undefined && (
        <StreamEditor
          key={stream}
          component={component.data}
          saved={stream === 'new' ? { ...saved, revision: 0 } : saved}
          isNew={stream === 'new'}
        />
      )}
    </SectionFrame>
  )
}
