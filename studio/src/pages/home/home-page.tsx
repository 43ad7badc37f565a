import { call } from '../../api/client.ts'
import { useQuery } from '../../api/use-query.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { PageFrame } from '../../ui/page-frame.tsx'

/** What a person sees first: how to send a sample, or what there is. */
export function HomePage() {
  const { data, error } = useQuery(['component', 'count'], (signal) =>
    call('get', '/api/component', { query: { limit: 1 }, signal }),
  )
  return (
    <PageFrame title="Weir">
      {error !== undefined && <Empty text={error.message} />}
      {data?.totalCount === 0 && <FirstSample />}
      {data !== undefined && data.totalCount > 0 && (
        <p>
          {data.totalCount === 1 ? 'One component sends' : `${data.totalCount} components send`}{' '}
          data to this organization.
        </p>
      )}
    </PageFrame>
  )
}

function FirstSample() {
  const line = `curl -X PUT -H "X-Api-Key: $KEY" "${location.origin}/api/feed?compId=boiler&temp=71.5"`
  return (
    <Empty text="Nothing has arrived yet. A first sample, with the feed key that the first start printed:">
      <code>{line}</code>
      <CopyButton text={line} what="the command" />
    </Empty>
  )
}
