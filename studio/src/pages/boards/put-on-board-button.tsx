import { lazy, Suspense, useState } from 'react'
import { useRole } from '../../api/session.ts'
import { useAddress } from '../../app/place.ts'
import { cycleIn } from '../../chart/controls/cycle-picker.tsx'
import { BAND } from '../../state/plots.ts'
import { Button } from '../../ui/button.tsx'
import { labelOf, type PanelStream } from './board-types.ts'
import type { NewPanel } from './put-on-board.tsx'
import { rangeOfView } from './range-of-view.ts'

const PutOnBoard = lazy(async () => ({ default: (await import('./put-on-board.tsx')).PutOnBoard }))

interface PutOnBoardButtonProps {
  readonly streams: ReadonlyArray<
    PanelStream & { readonly componentName: string; readonly streamName: string }
  >
  readonly title: string
}

/** Puts the chart of a page on a board, with the range and the statistic that its address names. */
export function PutOnBoardButton({ streams, title }: PutOnBoardButtonProps) {
  const [isOpen, setIsOpen] = useState(false)
  const { query } = useAddress()
  if (useRole() === 'GUEST' || streams.length === 0) return null
  const cycle = cycleIn(query)
  // A board shows one figure of a period: that of the band is its mean.
  const stat = cycle?.stat === BAND ? 'avg' : cycle?.stat
  const panel: NewPanel = {
    kind: 'chart',
    title: title.slice(0, 512),
    range: rangeOfView(query),
    streams: streams.map(({ componentUid, streamUid, componentName, streamName }) => ({
      componentUid,
      streamUid,
      label: labelOf(`${componentName} · ${streamName}`),
    })),
    ...(cycle === undefined ? {} : { options: { cycleId: cycle.cycle, stat } }),
  }
  return (
    <>
      <Button icon="boards" onClick={() => setIsOpen(true)}>
        Add to board
      </Button>
      {isOpen && (
        <Suspense fallback={null}>
          <PutOnBoard panel={panel} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
