import { Empty } from '../ui/empty.tsx'
import { PageFrame } from '../ui/page-frame.tsx'
import { Link } from './link.tsx'

/** Where an address leads at which there is nothing, with the way back. */
export function NoPage() {
  return (
    <PageFrame title="No such page">
      <Empty text="There is no such page.">
        <Link to="/">To the beginning</Link>
      </Empty>
    </PageFrame>
  )
}
