import { useMemo, useState } from 'react'
import { Link } from '../../app/link.tsx'
import { streamPath } from '../../app/paths.ts'
import { useAddress } from '../../app/place.ts'
import { Chart } from '../../chart/chart.tsx'
import { chartData } from '../../chart/chart-series.ts'
import { ChartBar } from '../../chart/controls/chart-bar.tsx'
import { CyclePicker, cycleIn } from '../../chart/controls/cycle-picker.tsx'
import { cycleWords } from '../../chart/cycle-words.ts'
import { LeftOut } from '../../chart/left-out.tsx'
import { statisticLabel } from '../../chart/period-table.tsx'
import { PlotTable } from '../../chart/plot-table.tsx'
import { precisionOf } from '../../chart/precision.ts'
import { useChartHeight } from '../../chart/use-chart-height.ts'
import { useAlertMarks } from '../../state/alert-marks.ts'
import { emptyChart } from '../../state/empty-chart.ts'
import { usePeriodFigures } from '../../state/period-figures.ts'
import { type PlottedStream, pointsFor, seriesKey, usePlots } from '../../state/plots.ts'
import type { Extent } from '../../state/range-words.ts'
import { useLive } from '../../state/use-live.ts'
import type { FoundStream } from '../../state/use-stream.ts'
import { useViewRange } from '../../state/use-view-range.ts'
import { IconButton } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { PeriodSection } from '../stream/period-section.tsx'
import { SamplesCsv } from '../stream/stream-csv.tsx'
import type { ViewSeries } from './use-streams.ts'
import styles from './view.module.css'

interface OverlayViewProps {
  readonly streams: readonly ViewSeries[]
  readonly onRemove: (name: string) => void
}

/** One chart of all streams, and what it shows as tables. */
export function OverlayView({ streams, onRemove }: OverlayViewProps) {
  const { query, change: changeAddress } = useAddress()
  const [width, setWidth] = useState(0)
  const extent = useMemo(() => extentOf(streams), [streams])
  const view = useViewRange(streams[0].zone, extent)
  const height = useChartHeight()
  const cycle = cycleIn(query)
  const stat = cycle?.stat
  const plotted = useMemo(
    () => streams.map((one) => plottedOf(one, view.zone)),
    [streams, view.zone],
  )
  const question = { streams: plotted, range: view.asked, points: pointsFor(width), cycle }
  const { answers, error, reload, add } = usePlots(question)
  useLive(streams, view.isLive, {
    onSample: add,
    onChange: reload,
  })
  const { asked, isLive } = view
  const marks = useAlertMarks(
    streams.flatMap(({ streamUid, earlier }) => (earlier === undefined ? [streamUid] : [])),
    { word: `${asked.from}..${asked.until}`, range: () => asked, isLive },
  )
  const hidden = useMemo(
    () => new Set((query.get('hide') ?? '').split(',').filter(Boolean)),
    [query],
  )
  const series = useMemo(
    () =>
      streams.map((one, at) => {
        const plot = answers[at]?.plot
        const data =
          plot === undefined ? undefined : chartData(plot, { stat: one.cycle?.stat ?? stat })
        return {
          key: seriesKey(plottedOf(one, view.zone)),
          name: labelOfSeries(one),
          unit: plot?.unit ?? one.unit,
          data,
          precision: precisionOf(plot),
        }
      }),
    [streams, answers, stat, view.zone],
  )
  const plots = answers.map((answer) => answer?.plot)
  const refused = answers.find((answer) => answer?.error !== undefined)?.error ?? error
  return (
    <div className={styles.overlay}>
      <ChartBar view={view} zoneOfData={streams[0].zone} hasExtent={extent !== undefined}>
        <CyclePicker />
      </ChartBar>
      {refused !== undefined && <Empty text={refused.message} />}
      <section className={styles.card} aria-label="Chart">
        <Chart
          {...view}
          label={`Chart of ${streams.map(({ streamName }) => streamName).join(', ')}`}
          series={series}
          height={height}
          empty={emptyChart(plots, view, extent !== undefined)}
          hidden={hidden}
          onHidden={(next) => changeAddress({ hide: [...next].join(',') })}
          onWidth={setWidth}
          marks={marks}
        />
        <LeftOut plots={plots} />
      </section>
      <ul className={styles.streams} aria-label="Streams of this view">
        {streams.map((stream) => (
          <li key={stream.name} className={styles.stream}>
            <Link to={streamPath(stream.componentUid, stream.streamUid)}>
              {labelOfSeries(stream)}
            </Link>
            <IconButton
              icon="close"
              label={`Remove ${ownLabel(stream)}`}
              onClick={() => onRemove(stream.name)}
            />
          </li>
        ))}
      </ul>
      <Tables streams={streams} plots={plots} zone={view.zone} question={question} />
    </div>
  )
}

/** What a series asks for, with a name of its own where it is not the stream itself. */
function plottedOf(series: ViewSeries, zone: string): PlottedStream {
  const { componentUid, streamUid, name, earlier, cycle } = series
  if (earlier === undefined && cycle === undefined) return { componentUid, streamUid }
  const period = earlier === undefined ? undefined : { period: earlier, zone }
  return { componentUid, streamUid, key: name, earlier: period, cycle }
}

/** What a series is called: its component and stream, and what of it is shown. */
function labelOfSeries(series: ViewSeries): string {
  return `${series.componentName} / ${ownLabel(series)}`
}

function ownLabel({ streamName, earlier, cycle }: ViewSeries): string {
  if (earlier !== undefined) return `${streamName}, one ${earlier} earlier`
  if (cycle === undefined) return streamName
  return `${streamName}, ${statisticLabel(cycle.stat).toLowerCase()} by ${cycleWords(cycle.cycle)}`
}

/** From the first sample of any stream to the last of any. */
function extentOf(streams: readonly FoundStream[]): Extent {
  const known = streams.flatMap(({ extent }) => (extent === undefined ? [] : [extent]))
  if (known.length === 0) return undefined
  return {
    firstTime: Math.min(...known.map(({ firstTime }) => firstTime)),
    lastTime: Math.max(...known.map(({ lastTime }) => lastTime)),
  }
}

interface TablesProps {
  readonly streams: readonly ViewSeries[]
  readonly plots: ReadonlyArray<Parameters<typeof PlotTable>[0]['plot']>
  readonly zone: string
  readonly question: Parameters<typeof usePeriodFigures>[1]
}

/** What the chart shows, stream by stream, for who reads rather than looks. */
function Tables({ streams: all, plots: allPlots, zone, question }: TablesProps) {
  // Samples of another time, or of another statistic, would not be those of the range.
  const shown = all.flatMap((one, at) =>
    one.earlier === undefined && one.cycle === undefined
      ? [{ stream: one, plot: allPlots[at] }]
      : [],
  )
  const streams = shown.map(({ stream }) => stream)
  return streams.length === 0 ? null : (
    <OpenTables
      streams={streams}
      plots={shown.map(({ plot }) => plot)}
      zone={zone}
      question={question}
    />
  )
}

function OpenTables({ streams, plots, zone, question }: TablesProps) {
  const [chosen, setChosen] = useState(streams[0].streamUid)
  const [isOpen, setIsOpen] = useState(false)
  const at = Math.max(
    streams.findIndex(({ streamUid }) => streamUid === chosen),
    0,
  )
  const figures = usePeriodFigures(streams[at], question, !isOpen)
  const { cycle, range } = question
  const found = streams[at]
  return (
    <details className={styles.tables} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>Show as table</summary>
      <Tabs
        label="Streams"
        tabs={streams.map(({ streamUid, streamName }) => ({ id: streamUid, label: streamName }))}
        chosen={streams[at].streamUid}
        onChoose={setChosen}
      >
        {cycle !== undefined ? (
          <PeriodSection
            found={found}
            figures={figures}
            cycle={cycle}
            range={range}
            zone={zone}
            plot={plots[at]}
          />
        ) : (
          <>
            <SamplesCsv found={found} range={range} zone={zone} />
            <PlotTable zone={zone} plot={plots[at]} label={found.streamName} />
          </>
        )}
      </Tabs>
    </details>
  )
}
