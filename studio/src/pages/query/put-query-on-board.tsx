import { lazy, Suspense, useState } from 'react'
import type { RecordKinds } from '../../api/records.ts'
import { Button } from '../../ui/button.tsx'

const PutOnBoard = lazy(async () => ({
  default: (await import('../boards/put-on-board.tsx')).PutOnBoard,
}))

interface PutQueryOnBoardProps {
  readonly saved: RecordKinds['query']
  /** Whether its rows are looked at as a chart. */
  readonly isChart: boolean
}

/** Puts a saved query on a board, as it is looked at. */
export function PutQueryOnBoard({ saved, isChart }: PutQueryOnBoardProps) {
  const [isOpen, setIsOpen] = useState(false)
  const { uid, name, id } = saved
  const query = { uid, view: isChart ? 'chart' : 'table' } as const
  return (
    <>
      <Button icon="boards" onClick={() => setIsOpen(true)}>
        Add to board
      </Button>
      {isOpen && (
        <Suspense fallback={null}>
          <PutOnBoard
            panel={{ kind: 'query', title: (name || id).slice(0, 512), streams: [], query }}
            onClose={() => setIsOpen(false)}
          />
        </Suspense>
      )}
    </>
  )
}
