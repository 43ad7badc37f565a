import { useContext, useEffect, useRef, useState } from 'react'
import { Chart } from '../../../chart/chart.tsx'
import type { ChartSeries, Plot } from '../../../chart/chart-series.ts'
import { isEmptyIn } from '../../../chart/empty.ts'
import type { EmptyChart } from '../../../chart/empty-note.tsx'
import { LeftOut } from '../../../chart/left-out.tsx'
import { PlotTable } from '../../../chart/plot-table.tsx'
import type { NextRange } from '../../../chart/time-range.ts'
import { useAlertMarks } from '../../../state/alert-marks.ts'
import { pointsFor } from '../../../state/plots.ts'
import { IconButton } from '../../../ui/button.tsx'
import type { Panel } from '../board-types.ts'
import { ZoomContext } from '../board-zoom.ts'
import { rangeAt, type TimeRange } from '../ranges.ts'
import { GoneStream } from './gone-stream.tsx'
import styles from './panels.module.css'
import { usePanelPlots } from './use-panel-plots.ts'

/** The resolution until the chart knows its width. */
const POINTS = 600
/** Where the legend would leave no room for the picture it is scrolled to. */
const LEGEND_PART_MAX = 0.4
const HEIGHT_MIN = 120
/** How much of its length a range reaches beyond the latest sample. */
const END_ROOM = 0.02

interface ChartPanelProps {
  readonly panel: Panel
  readonly range: string
  readonly isLive: boolean
}

/** A chart of the panel's streams; zooming changes what all panels show, not what is saved. */
export function ChartPanel({ panel, range, isLive }: ChartPanelProps) {
  const board = useContext(ZoomContext)
  const [points, setPoints] = useState(POINTS)
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const [isTable, setIsTable] = useState(false)
  const zoom = board.shown
  const shown = usePanelPlots(panel, { range, zoom: board.rested, points, isLive })
  const { series, plots, range: whole } = shown
  const { place, height } = useHeight(series)
  const marks = useAlertMarks(
    panel.streams.map(({ streamUid }) => streamUid),
    {
      word: `${shown.word} ${shown.zone}`,
      range: () => rangeAt(shown.word, shown.zone, Date.now()),
      isLive: shown.isFollowing,
      // The first plots say which zone the range is in.
      isOff: series.length === 0,
    },
  )
  // Of streams that are all gone not even the axes say something.
  const isAllLost = shown.lost.length > 0 && shown.lost.length === panel.streams.length
  const name = panel.title || series.map((one) => one.name).join(', ') || 'Chart'
  const seen = zoom ?? whole
  const move = (next: NextRange, options: { readonly isStep: boolean }) =>
    whole !== undefined && board.move(whole, next, options)
  const showLatest = (lastTime: number) => {
    if (seen === undefined) return
    const until = lastTime + 1 + Math.round((seen.until - seen.from) * END_ROOM)
    move({ from: until - (seen.until - seen.from), until }, { isStep: true })
  }
  return (
    <div ref={place} className={styles.chart}>
      {shown.lost.map(({ stream, name: was }) => (
        <GoneStream key={stream.streamUid} stream={stream} name={was} />
      ))}
      {shown.problems.map((problem) => (
        <p key={problem} className={styles.gone}>
          {problem}
        </p>
      ))}
      {series.length > 0 && (
        <IconButton
          className={styles.toggle}
          icon={isTable ? 'chart' : 'table'}
          label={`${isTable ? 'Chart' : 'Table'} of ${name.slice(0, 80)}`}
          onClick={() => setIsTable(!isTable)}
        />
      )}
      {isTable &&
        plots.map((plot, at) => (
          <div key={series[at].key} className={styles.plotTable}>
            <p className={styles.gone}>
              {series[at].name}, times in {shown.zone}
            </p>
            <PlotTable
              plot={plot}
              zone={shown.zone}
              label={series[at].name}
              stat={panel.options.stat}
            />
          </div>
        ))}
      {seen !== undefined && !isTable && !isAllLost && (
        <Chart
          label={name}
          series={series}
          range={seen}
          zone={shown.zone}
          hidden={hidden}
          onHidden={setHidden}
          height={height}
          onWidth={(pixels) => setPoints((now) => resolutionOf(now, pixels))}
          onMove={move}
          onBack={board.back}
          onReset={board.reset}
          onNow={board.reset}
          onLive={board.reset}
          empty={emptyPanel(plots, seen, showLatest)}
          limits={panel.options}
          thresholds={panel.options.thresholds}
          marks={marks}
          isCompact
        />
      )}
      <LeftOut plots={plots} />
    </div>
  )
}

/**
 * The resolution for a width. A chart gets a little wider or narrower with the texts of its axis, which is no reason
 * to ask again.
 */
function resolutionOf(now: number, pixels: number): number {
  const wanted = pointsFor(pixels)
  return wanted > now || (wanted > 0 && wanted < now / 3) ? wanted : now
}

/** What a panel says without samples, with the way to the latest of them. */
function emptyPanel(
  plots: ReadonlyArray<Plot | undefined>,
  range: TimeRange,
  onLatest: (lastTime: number) => void,
): EmptyChart | undefined {
  if (!isEmptyIn(plots, range)) return undefined
  const lastTime = Math.max(...plots.map((plot) => plot?.lastTime ?? Number.NEGATIVE_INFINITY))
  const text = 'No samples in this range.'
  return lastTime === Number.NEGATIVE_INFINITY
    ? { text }
    : { text, onLatest: () => onLatest(lastTime) }
}

/**
 * How high the picture may be: the panel without the legend, which is measured as it wraps. Its texts under the pointer
 * are not: the picture would jump.
 */
function useHeight(series: readonly ChartSeries[]) {
  const place = useRef<HTMLDivElement>(null)
  const [height, setHeight] = useState(HEIGHT_MIN)
  const latest = useRef(() => {})
  useEffect(() => {
    const element = place.current
    if (element === null) return undefined
    const look = () => {
      const legend = element.querySelector<HTMLElement>('ul')?.offsetHeight ?? 0
      const lines = [...element.querySelectorAll<HTMLElement>(':scope > p')]
      const shown = lines.reduce((sum, line) => sum + line.offsetHeight, 0)
      const room = element.clientHeight - shown
      setHeight(Math.max(HEIGHT_MIN, room - Math.min(legend, room * LEGEND_PART_MAX)))
    }
    latest.current = look
    const observer = new ResizeObserver(look)
    observer.observe(element)
    const drawn = new MutationObserver(look)
    drawn.observe(element, { childList: true, subtree: true })
    return () => {
      observer.disconnect()
      drawn.disconnect()
    }
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: names and values of other series wrap in another way.
  useEffect(() => latest.current(), [series])
  return { place, height }
}
