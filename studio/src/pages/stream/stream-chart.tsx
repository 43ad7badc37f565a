import { type ComponentProps, useState } from 'react'
import { Chart } from '../../chart/chart.tsx'
import type { Plot } from '../../chart/chart-series.ts'
import { LeftOut } from '../../chart/left-out.tsx'
import { useChartHeight } from '../../chart/use-chart-height.ts'
import { useAlertMarks } from '../../state/alert-marks.ts'
import type { FoundStream } from '../../state/use-stream.ts'
import type { ViewRange } from '../../state/use-view-range.ts'
import { AheadLine } from './ahead-line.tsx'
import { ThresholdBar, useThreshold } from './alert-threshold.tsx'
import styles from './stream.module.css'

const NONE: ReadonlySet<string> = new Set()

interface StreamChartProps
  extends Pick<ComponentProps<typeof Chart>, 'series' | 'onWidth' | 'empty'>,
    ComponentProps<typeof AheadLine> {
  readonly found: FoundStream
  readonly view: ViewRange
  readonly plot: Plot | undefined
}

/** The chart of a stream, with the threshold of a new alert. Dragging its line renders nothing else of the page. */
export function StreamChart({ found, view, plot, extent, ...chart }: StreamChartProps) {
  const [hidden, setHidden] = useState(NONE)
  const height = useChartHeight()
  const threshold = useThreshold(found, plot)
  const { asked, isLive } = view
  const marks = useAlertMarks([found.streamUid], {
    word: `${asked.from}..${asked.until}`,
    range: () => asked,
    isLive,
  })
  return (
    <section className={styles.chart} aria-label="Chart">
      {threshold !== undefined && <ThresholdBar {...threshold.bar} />}
      <Chart
        {...view}
        {...chart}
        label={`Chart of ${found.streamName}`}
        hidden={hidden}
        onHidden={setHidden}
        height={height}
        guide={threshold?.guide}
        marks={marks}
      />
      <LeftOut plots={[plot]} />
      <AheadLine extent={extent} view={view} />
    </section>
  )
}
