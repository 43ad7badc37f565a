import type { ReactNode } from 'react'
import type { ViewRange } from '../../state/use-view-range.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { MorePanel } from '../../ui/more-panel.tsx'
import { offsetText } from '../../ui/time/moment-text.ts'
import { browserZone } from '../../ui/time/zone-time.ts'
import { useNarrow } from '../../ui/use-narrow.ts'
import { moved, type TimeRange, zoomed } from '../time-range.ts'
import styles from './controls.module.css'
import { RangePicker } from './range-picker.tsx'

interface ChartBarProps {
  readonly view: ViewRange
  readonly zoneOfData: string
  /** Whether there are samples to jump to. */
  readonly hasExtent: boolean
  /** Further controls, such as the choice of a cycle. */
  readonly children?: ReactNode
}

/** The range, jumps, live mode and zone of a chart; on a phone one line, with the rest in a panel. */
export function ChartBar({ view, zoneOfData, hasExtent, children }: ChartBarProps) {
  const isNarrow = useNarrow()
  return (
    <div className={styles.bar} role="toolbar" aria-label="Time range">
      <RangePicker view={view} />
      <div className={styles.group}>
        <IconButton
          icon="left"
          label="Earlier by half the range"
          onClick={() => move(view, -0.5)}
        />
        <IconButton icon="right" label="Later by half the range" onClick={() => move(view, 0.5)} />
        <IconButton icon="zoomOut" label="Zoom out" onClick={() => zoom(view, 2)} />
        {!isNarrow && <IconButton icon="zoomIn" label="Zoom in" onClick={() => zoom(view, 0.5)} />}
      </div>
      {isNarrow ? (
        <MorePanel label="More chart controls" closesOnAct>
          <Jumps view={view} hasExtent={hasExtent} />
          {children}
          <Zone view={view} zoneOfData={zoneOfData} />
        </MorePanel>
      ) : (
        <>
          <Jumps view={view} hasExtent={hasExtent} />
          {children}
          <Zone view={view} zoneOfData={zoneOfData} />
        </>
      )}
    </div>
  )
}

type JumpsProps = Pick<ChartBarProps, 'view' | 'hasExtent'>

function Jumps({ view, hasExtent }: JumpsProps) {
  const { isLive } = view
  return (
    <>
      <div className={styles.group}>
        <Button disabled={!hasExtent} onClick={view.onStart}>
          First sample
        </Button>
        <Button disabled={!hasExtent} onClick={view.onEnd}>
          Latest sample
        </Button>
        <Button onClick={view.onNow}>Now</Button>
      </div>
      <Button
        icon="live"
        aria-pressed={isLive}
        kind={isLive ? 'primary' : 'normal'}
        onClick={view.onLive}
      >
        Live
      </Button>
    </>
  )
}

function Zone({ view, zoneOfData }: Pick<ChartBarProps, 'view' | 'zoneOfData'>) {
  const { zone, range, isBrowserZone } = view
  const other = isBrowserZone ? zoneOfData : browserZone()
  const offsets = offsetsText(zone, range)
  return (
    <span className={styles.zone}>
      Times in <strong>{zone}</strong>
      {offsets !== zone && ` (${offsets})`}
      {other !== zone && (
        <button type="button" className={styles.other} onClick={view.onZone}>
          Show in {other}
        </button>
      )}
    </span>
  )
}

/** How the clocks stand to UTC, at the beginning and at the end where they are set in between. */
function offsetsText(zone: string, { from, until }: TimeRange): string {
  const [before, after] = [offsetText(zone, from), offsetText(zone, until)]
  return before === after ? after : `${before}, later ${after}`
}

function move({ onMove }: ViewRange, part: number): void {
  onMove((range) => moved(range, part), { isStep: true })
}

function zoom({ onMove }: ViewRange, factor: number): void {
  onMove((range) => zoomed(range, factor, (range.from + range.until) / 2), { isStep: true })
}
