import { useEffect, useMemo, useState } from 'react'
import { useAddress } from '../../app/place.ts'
import { chartData } from '../../chart/chart-series.ts'
import { ChartBar } from '../../chart/controls/chart-bar.tsx'
import { CyclePicker, cycleIn } from '../../chart/controls/cycle-picker.tsx'
import { precisionOf, statisticPrecision } from '../../chart/precision.ts'
import { emptyChart } from '../../state/empty-chart.ts'
import { usePeriodFigures } from '../../state/period-figures.ts'
import { BAND, pointsFor, usePlots } from '../../state/plots.ts'
import { useLive } from '../../state/use-live.ts'
import type { FoundStream } from '../../state/use-stream.ts'
import { useViewRange } from '../../state/use-view-range.ts'
import { Empty } from '../../ui/empty.tsx'
import { FileUploads } from '../build/files/file-uploads.tsx'
import { ThresholdButton } from './alert-threshold.tsx'
import { DerivedLine } from './derived-line.tsx'
import { FileList } from './file-list.tsx'
import { LabelLine } from './label-line.tsx'
import { PeriodSection } from './period-section.tsx'
import { SampleTable } from './sample-table.tsx'
import styles from './stream.module.css'
import { StreamChart } from './stream-chart.tsx'

interface StreamViewProps {
  readonly found: FoundStream
  readonly canChange: boolean
}

/** The chart of a stream, and its samples below it. */
export function StreamView({ found, canChange }: StreamViewProps) {
  const { query } = useAddress()
  const [width, setWidth] = useState(0)
  const [extent, setExtent] = useState(found.extent)
  const view = useViewRange(found.zone, extent)
  const cycle = cycleIn(query)
  const stat = cycle?.stat
  const streams = useMemo(() => [found], [found])
  const question = { streams, range: view.asked, points: pointsFor(width), cycle }
  const { answers, error, reload, add } = usePlots(question)
  const [{ plot, error: refused } = { plot: undefined, error: undefined }] = answers
  const figures = usePeriodFigures(found, question)
  useLive(streams, view.isLive, {
    onSample: add,
    onChange: reload,
  })
  const { firstTime, lastTime } = plot ?? {}
  useEffect(() => {
    if (typeof firstTime !== 'number' || typeof lastTime !== 'number') return
    setExtent((before) =>
      before?.firstTime === firstTime && before.lastTime === lastTime
        ? before
        : { firstTime, lastTime },
    )
  }, [firstTime, lastTime])
  const series = useMemo(() => {
    const data = plot === undefined ? undefined : chartData(plot, { stat })
    return [
      {
        key: found.streamUid,
        name: found.streamName,
        unit: plot?.unit ?? found.unit,
        data,
        // The legend of a band has the averages as the table has them.
        precision:
          stat === undefined
            ? precisionOf(plot)
            : statisticPrecision(plot, stat, figures)(stat === BAND ? 'avg' : stat),
      },
    ]
  }, [plot, found, stat, figures])
  const empty = emptyChart([plot], view, extent !== undefined)
  return (
    <div className={styles.stream}>
      <ChartBar view={view} zoneOfData={found.zone} hasExtent={extent !== undefined}>
        {found.kind !== 'file' && <CyclePicker />}
        <ThresholdButton found={found} />
      </ChartBar>
      {(refused ?? error) !== undefined && <Empty text={(refused ?? error)?.message} />}
      <StreamChart
        found={found}
        view={view}
        plot={plot}
        extent={extent}
        series={series}
        onWidth={setWidth}
        empty={empty}
      />
      <DerivedLine found={found} />
      <LabelLine found={found} />
      {found.kind === 'file' && <FileList found={found} plot={plot} zone={view.zone} />}
      <section className={styles.card} aria-label={cycle === undefined ? 'Samples' : 'Statistics'}>
        {cycle === undefined ? (
          <SampleTable
            found={found}
            canChange={canChange}
            asked={view.asked}
            zone={view.zone}
            isLive={view.isLive}
            onChanged={reload}
          />
        ) : (
          <PeriodSection
            found={found}
            plot={plot}
            figures={figures}
            cycle={cycle}
            range={view.asked}
            zone={view.zone}
          />
        )}
      </section>
      {found.kind === 'file' && canChange && (
        <section id="upload" aria-label="Upload">
          <FileUploads
            target={found}
            // What was just stored lies behind a range that was chosen before.
            onDone={view.isLive ? reload : view.onLive}
          />
        </section>
      )}
    </div>
  )
}
