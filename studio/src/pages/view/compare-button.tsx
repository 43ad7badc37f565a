import { lazy, Suspense, useState } from 'react'
import type { FoundStream } from '../../state/use-stream.ts'
import { Button } from '../../ui/button.tsx'

const CompareDialog = lazy(async () => ({
  default: (await import('./compare-dialog.tsx')).CompareDialog,
}))

interface CompareButtonProps {
  readonly streams: readonly FoundStream[]
  /** Whether the chart has as many series as it can show. */
  readonly isFull?: boolean
  /** Called with the name of a series, as the address of a view has it. */
  readonly onAdd: (name: string) => void
}

/** Compares a stream with an earlier period, with the same stream of another device, or with a statistic. */
export function CompareButton({ streams, isFull = false, onAdd }: CompareButtonProps) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button icon="chart" disabled={isFull} onClick={() => setIsOpen(true)}>
        Compare with
      </Button>
      {isOpen && (
        <Suspense fallback={null}>
          <CompareDialog
            streams={streams}
            onAdd={(name) => {
              onAdd(name)
              setIsOpen(false)
            }}
            onClose={() => setIsOpen(false)}
          />
        </Suspense>
      )}
    </>
  )
}
