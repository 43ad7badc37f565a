import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import { useTheme } from '../style/theme.ts'
import { axesOf, ownScaleText } from './axes.ts'
import styles from './chart.module.css'
import type { ChartMarks } from './chart-marks.ts'
import { type ChartSeries, isNumbers } from './chart-series.ts'
import { STRIP_HEIGHT, STRIP_ROOM } from './draw-states.ts'
import { type EmptyChart, EmptyNote } from './empty-note.tsx'
import { type Guide, GuideLine } from './guide-line.tsx'
import { Legend } from './legend.tsx'
import type { AxisLimits, Threshold } from './levels.ts'
import { MarkLayer } from './mark-layer.tsx'
import { moved, type NextRange, type TimeRange, zoomed } from './time-range.ts'
import { readTokens } from './tokens.ts'
import { AXIS_HEIGHT, type Picture, UplotView } from './uplot-view.ts'
import { useGestures } from './use-gestures.ts'
import { isSameScale, type ValueScale } from './value-scale.ts'

/** The range of a chart. */
export interface RangeEvents {
  /** `isStep`: one to come back to. A function is given the range as it is, also before it is drawn. */
  readonly onMove: (next: NextRange, options: { readonly isStep: boolean }) => void
  readonly onBack: () => void
  readonly onReset: () => void
  readonly onNow: () => void
  readonly onLive: () => void
}

interface ChartProps extends RangeEvents {
  /** What the chart is of, for screen readers. */
  readonly label: string
  readonly series: readonly ChartSeries[]
  readonly range: TimeRange
  readonly zone: string
  readonly hidden: ReadonlySet<string>
  readonly onHidden: (hidden: ReadonlySet<string>) => void
  readonly height?: number
  /** Called with the plot's width in pixels, which determines the resolution of the answer. */
  readonly onWidth?: (pixels: number) => void
  /** Charts with the same word share their crosshair. */
  readonly syncKey?: string
  /** A legend of a line or two, for charts that have little room. */
  readonly isCompact?: boolean
  /** Where the left axis begins and ends; null and undefined: as the values need. */
  readonly limits?: AxisLimits
  /** Lines across the plot, at values of the left axis. */
  readonly thresholds?: readonly Threshold[]
  /** Shown over the plot when nothing is in the range. */
  readonly empty?: EmptyChart
  /** A line at a value of the left axis, which can be dragged. */
  readonly guide?: Guide
  /** Events at the foot of the plot. */
  readonly marks?: ChartMarks
}

const HEIGHT = 340

/** A chart of streams over time, with its legend; all about it can be done with keys too. */
export function Chart(props: ChartProps) {
  const { label, series, range, zone, hidden, onHidden, height = HEIGHT, syncKey = 'page' } = props
  const { limits, thresholds, guide, marks } = props
  const [cursor, setCursor] = useState<number>()
  const [scale, setScale] = useState<ValueScale>()
  const reach = guide?.reach
  const { shown: theme } = useTheme()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme decides what the tokens are.
  const tokens = useMemo(() => readTokens(), [theme])
  const picture = useMemo((): Picture => {
    const axes = axesOf(
      series.map(({ key, unit, data }) => ({
        unit,
        isHidden: hidden.has(key),
        isNumber: data !== undefined && isNumbers(data),
      })),
    )
    const drawn = series.flatMap(({ key, unit, data }, at) => {
      const colour = tokens.series[at % tokens.series.length]
      return data === undefined
        ? []
        : [{ data, colour, unit, side: axes.sides[at], isHidden: hidden.has(key) }]
    })
    return { range, series: drawn, axes, zone, tokens, limits, thresholds, reach }
  }, [series, range, zone, tokens, hidden, limits, thresholds, reach])
  const note = ownScaleText(picture.axes)
  const place = useUplot(picture, {
    ...props,
    height: heightOf(picture, height),
    syncKey,
    setCursor,
    onScale: (next) => setScale((before) => (isSameScale(before, next) ? before : next)),
  })
  return (
    <div className={styles.chart}>
      <div className={styles.frame}>
        {/* biome-ignore lint/a11y/useSemanticElements: a chart that keys move is no fieldset. */}
        <div
          ref={place}
          className={styles.place}
          role="group"
          aria-label={label}
          aria-roledescription="chart"
          aria-description="Arrow keys move by a tenth. Plus and minus zoom. Backspace goes back, Escape resets. n jumps to now, l turns live on or off."
          aria-keyshortcuts="ArrowLeft ArrowRight + - Backspace Escape n l"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: keys move the chart.
          tabIndex={0}
          onKeyDown={(event) => onKey(event, props)}
          style={{ minHeight: heightOf(picture, height) }}
        />
        {props.empty !== undefined && <EmptyNote {...props.empty} />}
        {marks !== undefined && scale !== undefined && (
          <MarkLayer marks={marks} range={range} zone={zone} scale={scale} />
        )}
        {guide !== undefined && scale !== undefined && <GuideLine guide={guide} scale={scale} />}
      </div>
      {note !== '' && <p className={styles.shared}>{note}</p>}
      {marks !== undefined && marks.note !== '' && <p className={styles.shared}>{marks.note}</p>}
      <Legend
        series={series}
        colours={tokens.series}
        isCompact={props.isCompact}
        range={range}
        zone={zone}
        cursor={cursor}
        hidden={hidden}
        onHidden={onHidden}
      />
    </div>
  )
}

/** Strips of states need less height than numbers. */
function heightOf({ series }: Picture, height: number): number {
  if (series.length === 0 || series.some(({ data }) => isNumbers(data))) return height
  return AXIS_HEIGHT + 16 + STRIP_ROOM + series.length * (STRIP_HEIGHT + STRIP_ROOM)
}

interface UplotProps extends RangeEvents {
  readonly height: number
  readonly syncKey: string
  readonly range: TimeRange
  readonly onWidth?: (pixels: number) => void
  readonly setCursor: (time: number | undefined) => void
  readonly onScale: (scale: ValueScale) => void
}

/** Keeps a uPlot chart in a place, which is answered as a ref. */
function useUplot(picture: Picture, props: UplotProps) {
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<UplotView>(null)
  const latest = useRef(props)
  latest.current = props
  const latestPicture = useRef(picture)
  latestPicture.current = picture
  const { height, syncKey } = props
  const { axes, tokens } = picture
  const shape = JSON.stringify([axes.left, axes.right])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only these need a chart that is rebuilt.
  useEffect(() => {
    const element = place.current
    if (element === null) return undefined
    const made = new UplotView({
      place: element,
      picture: latestPicture.current,
      height,
      syncKey,
      width: element.clientWidth,
      onSelect: (range) => latest.current.onMove(range, { isStep: true }),
      onCursor: (time) => latest.current.setCursor(time),
      onScale: (scale) => latest.current.onScale(scale),
    })
    view.current = made
    const observer = new ResizeObserver(() => {
      if (element.clientWidth > 0) made.resize(element.clientWidth, latest.current.height)
      latest.current.onWidth?.(made.plotWidth)
    })
    observer.observe(element)
    return () => {
      observer.disconnect()
      made.close()
      view.current = null
    }
  }, [shape, tokens, syncKey])
  // A legend that wraps while somebody drags changes the height: the chart must not be rebuilt then.
  useEffect(() => {
    const width = place.current?.clientWidth ?? 0
    if (width > 0) view.current?.resize(width, height)
  }, [height])
  useEffect(() => view.current?.show(picture), [picture])
  useGestures(place, view, props)
  return place
}

/** Arrow keys move by a tenth, + and - zoom, Backspace goes back, Escape to the start. */
function onKey(event: KeyboardEvent, { onMove, onBack, onReset, onNow, onLive }: ChartProps) {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  // A key that is held down is one movement.
  const isStep = !event.repeat
  const move = (next: (range: TimeRange) => TimeRange) => () => onMove(next, { isStep })
  const zoom = (factor: number) =>
    move((range) => zoomed(range, factor, (range.from + range.until) / 2))
  const acts: Record<string, () => void> = {
    ArrowLeft: move((range) => moved(range, -0.1)),
    ArrowRight: move((range) => moved(range, 0.1)),
    '+': zoom(0.5),
    '=': zoom(0.5),
    '-': zoom(2),
    Backspace: onBack,
    Escape: onReset,
    n: onNow,
    l: onLive,
  }
  const act = acts[event.key]
  if (act === undefined) return
  event.preventDefault()
  act()
}
