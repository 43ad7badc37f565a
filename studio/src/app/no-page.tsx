import { Empty } from '../ui/empty.tsx'
import { PageFrame } from '../ui/page-frame.tsx'
import { Link } from './link.tsx'

/** Where an address leads at which there is nothing, with the way back. */
export function NoPage() {
  return (
    <PageFrame title="Page not found">
      <Empty text="This page does not exist.">
        <Link to="/">Home</Link>
      </Empty>
    </PageFrame>
  )
}
