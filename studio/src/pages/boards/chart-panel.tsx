import { useEffect, useMemo, useRef, useState } from 'react'
import { recordKey } from '../../api/records.ts'
import { useQuery } from '../../api/use-query.ts'
import { Chart, type ChartSeries } from '../../chart/chart.tsx'
import { chartData } from '../../chart/chart-series.ts'
import { PlotTable } from '../../chart/plot-table.tsx'
import { type NextRange, rangeAfter } from '../../chart/time-range.ts'
import { pointsFor } from '../../state/plots.ts'
import { IconButton } from '../../ui/button.tsx'
import { useQuiet } from '../../ui/use-quiet.ts'
import type { Panel } from './board-types.ts'
import styles from './panels.module.css'
import { readNames, readPlots } from './plots.ts'
import { isMoving, rangeAt, type TimeRange } from './ranges.ts'
import { useNews } from './use-news.ts'

/** How often the picture of a range that ends now is moved on. */
const MOVE_MS = 15_000
/** What is asked for until the chart has told its width. */
const POINTS = 600
/** Where the legend would leave no room for the picture it is scrolled to. */
const LEGEND_PART_MAX = 0.4
/** Longer names would leave no room for the figures beside them. */
const NAME_LENGTH_MAX = 60
const HEIGHT_MIN = 120
/** Ranges that one can go back to. */
const STEPS_MAX = 100

interface ChartPanelProps {
  readonly panel: Panel
  readonly range: string
  readonly isLive: boolean
}

/** A chart of the panel's streams; zooming changes what is seen, not what is saved. */
export function ChartPanel({ panel, range, isLive }: ChartPanelProps) {
  const [steps, setSteps] = useState<readonly TimeRange[]>([])
  const [points, setPoints] = useState(POINTS)
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const [isTable, setIsTable] = useState(false)
  const { place, height } = useHeight()
  const zoom = steps.at(-1)
  const shown = usePlots(panel, { range, zoom, points, isLive })
  const { series, plots, range: whole } = shown
  const name = panel.title || series.map((one) => one.name).join(', ') || 'Chart'
  const move = (next: NextRange, { isStep }: { readonly isStep: boolean }) =>
    setSteps((now) => {
      const before = now.at(-1) ?? whole
      if (before === undefined) return now
      const kept = isStep ? now : now.slice(0, -1)
      return [...kept, rangeAfter(before, next)].slice(-STEPS_MAX)
    })
  return (
    <div ref={place} className={styles.chart}>
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
            <PlotTable plot={plot} zone={shown.zone} label={series[at].name} />
          </div>
        ))}
      {whole !== undefined && !isTable && (
        <Chart
          label={name}
          series={series}
          range={zoom ?? whole}
          zone={shown.zone}
          hidden={hidden}
          onHidden={setHidden}
          height={height}
          onWidth={(pixels) => setPoints(pointsFor(pixels) || POINTS)}
          onMove={move}
          onBack={() => setSteps((now) => now.slice(0, -1))}
          onReset={() => setSteps([])}
          onNow={() => setSteps([])}
          onLive={() => setSteps([])}
          isCompact
        />
      )}
    </div>
  )
}

interface Asked {
  readonly range: string
  readonly zoom: TimeRange | undefined
  readonly points: number
  readonly isLive: boolean
}

function usePlots(panel: Panel, { range, zoom, points, isLive }: Asked) {
  const { streams, options } = panel
  const text = JSON.stringify(streams)
  // A movement is asked for when it rests.
  const word = useQuiet(
    zoom === undefined ? range : `${Math.floor(zoom.from)}..${Math.ceil(zoom.until)}`,
  )
  const names = useQuery(recordKey('component', 'names', text), () => readNames(streams))
  const [zone, setZone] = useState(options.timeZoneId || 'UTC')
  const found = useQuery(
    ['board-plot', text, word, points, options.cycleId, options.stat, zone],
    async (signal) => {
      const asked = rangeAt(word, zone, Date.now())
      return { range: asked, answers: await readPlots({ panel, range: asked, points, signal }) }
    },
    { keepPrevious: true, ...(isLive && isMoving(word) ? { refreshMs: MOVE_MS } : {}) },
  )
  useNews(
    streams.map(({ streamUid }) => streamUid),
    () => isLive && isMoving(word) && found.reload(),
  )
  const { data } = found
  const own = data?.answers.find(({ plot }) => plot !== undefined)?.plot?.timeZone
  useEffect(() => {
    // The component says its zone with the first answer; days begin by it from then on.
    if (options.timeZoneId === '' && own !== undefined) setZone(own)
    else if (options.timeZoneId !== '') setZone(options.timeZoneId)
  }, [own, options.timeZoneId])
  // Answers about streams that were taken out meanwhile are left out, too.
  const drawn = useMemo(
    () =>
      (data?.answers ?? []).flatMap(({ plot }, at) => {
        const stream = streams[at]
        if (plot === undefined || stream === undefined) return []
        const name = (names.data?.[at] || 'Stream').slice(0, NAME_LENGTH_MAX)
        const series: ChartSeries = {
          ...{ key: stream.streamUid, name, unit: plot.unit },
          data: chartData(plot, { stat: options.stat }),
        }
        return [{ plot, series }]
      }),
    [data, streams, names.data, options.stat],
  )
  const series = useMemo(() => drawn.map((one) => one.series), [drawn])
  const problems = new Set((data?.answers ?? []).flatMap(({ error }) => error ?? []))
  if (found.error !== undefined && data === undefined) problems.add(found.error.message)
  const plots = drawn.map(({ plot }) => plot)
  return { range: data?.range, zone, series, plots, problems: [...problems] }
}

/** How high the picture may be: the panel without the legend, which is measured as it wraps. */
function useHeight() {
  const place = useRef<HTMLDivElement>(null)
  const [height, setHeight] = useState(HEIGHT_MIN)
  useEffect(() => {
    const element = place.current
    if (element === null) return undefined
    const look = () => {
      const legend = element.querySelector<HTMLElement>('ul')?.offsetHeight ?? 0
      const room = element.clientHeight
      setHeight(Math.max(HEIGHT_MIN, room - Math.min(legend, room * LEGEND_PART_MAX)))
    }
    const observer = new ResizeObserver(look)
    observer.observe(element)
    const drawn = new MutationObserver(look)
    drawn.observe(element, { childList: true, subtree: true })
    return () => {
      observer.disconnect()
      drawn.disconnect()
    }
  }, [])
  return { place, height }
}
