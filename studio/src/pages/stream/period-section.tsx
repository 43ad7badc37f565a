import type { Plot } from '../../chart/chart-series.ts'
import { type PeriodFigures, shownStatistics } from '../../chart/period-table.tsx'
import { PlotTable } from '../../chart/plot-table.tsx'
import type { TimeRange } from '../../chart/time-range.ts'
import type { CycleChoice } from '../../state/cycle-choice.ts'
import { BAND } from '../../state/plots.ts'
import type { FoundStream } from '../../state/use-stream.ts'
import styles from './stream.module.css'
import { PeriodsCsv } from './stream-csv.tsx'

interface PeriodSectionProps {
  readonly found: FoundStream
  readonly plot: Plot | undefined
  readonly figures: PeriodFigures
  readonly cycle: CycleChoice
  readonly range: TimeRange
  readonly zone: string
}

/** The statistics of a cycle as a table, with all of them as a file. */
export function PeriodSection(props: PeriodSectionProps) {
  const { found, plot, figures, cycle, range, zone } = props
  const stat = cycle.stat === BAND ? 'avg' : cycle.stat
  return (
    <>
      <div className={styles.tools}>
        <h2>Statistics</h2>
        <PeriodsCsv
          found={found}
          range={range}
          zone={zone}
          cycle={cycle.cycle}
          stats={shownStatistics(stat, figures)}
        />
      </div>
      <PlotTable plot={plot} figures={figures} zone={zone} stat={stat} label={found.streamName} />
    </>
  )
}
