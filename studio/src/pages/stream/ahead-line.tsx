import type { Extent } from '../../state/range-words.ts'
import type { ViewRange } from '../../state/use-view-range.ts'
import { Button } from '../../ui/button.tsx'
import { Age } from '../../ui/time/age.tsx'
import styles from './stream.module.css'

/** Clocks of devices differ a little: so far ahead is no future. */
const AHEAD_MS = 5_000

interface AheadLineProps {
  readonly extent: Extent
  readonly view: ViewRange
}

/** Says that the last sample lies ahead of now and behind what is shown, where nobody would look for it. */
export function AheadLine({ extent, view }: AheadLineProps) {
  const { lastTime = 0 } = extent ?? {}
  if (lastTime < view.range.until || lastTime <= Date.now() + AHEAD_MS) return null
  return (
    <p className={styles.ahead}>
      The last sample has a time in the future: <Age time={lastTime} zone={view.zone} />.{' '}
      <Button kind="plain" onClick={view.onEnd}>
        Show
      </Button>
    </p>
  )
}
