import { getRecord, recordKey } from '../../api/records.ts'
import { useQuery } from '../../api/use-query.ts'
import type { PageProps } from '../../app/page-entry.ts'
import { Empty } from '../../ui/empty.tsx'
import { PageFrame } from '../../ui/page-frame.tsx'
import { Board } from './board.tsx'

/** One board. */
export function BoardPage({ params }: PageProps) {
  const { uid } = params
  const { data, error } = useQuery(recordKey('dashboard', uid), (signal) =>
    getRecord('dashboard', uid, signal),
  )
  if (data === undefined) {
    return (
      <PageFrame title="Board">{error !== undefined && <Empty text={error.message} />}</PageFrame>
    )
  }
  return <Board key={uid} saved={data} />
}
