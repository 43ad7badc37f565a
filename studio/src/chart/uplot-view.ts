/** The one place that makes uPlot charts: axes, cursor and selection are its own, what is drawn is ours. */
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { Axes, Side } from './axes.ts'
import { type ChartData, isNumbers } from './chart-series.ts'
import { drawNumbers, drawPoints } from './draw-numbers.ts'
import { drawStrip, STRIP_HEIGHT, STRIP_ROOM } from './draw-states.ts'
import { extentOf, roomyExtent, widened } from './extent.ts'
import { type AxisLimits, limited, type Threshold } from './levels.ts'
import { type Canvas, LINE_WIDTH } from './plot-canvas.ts'
import type { TimeRange } from './time-range.ts'
import { tickTexts, timeTicks } from './time-ticks.ts'
import type { ChartTokens } from './tokens.ts'
import type { ValueScale } from './value-scale.ts'
import { valueTexts } from './value-ticks.ts'

/** A series as it is drawn. */
export interface DrawnSeries {
  readonly data: ChartData
  readonly colour: string
  readonly unit: string
  readonly side: Side
  readonly isHidden: boolean
}

/** Everything that a picture depends on. */
export interface Picture {
  readonly range: TimeRange
  readonly series: readonly DrawnSeries[]
  readonly axes: Axes
  readonly zone: string
  readonly tokens: ChartTokens
  readonly limits?: AxisLimits
  readonly thresholds?: readonly Threshold[]
  /** A value that the left axis includes, next to those of its series. */
  readonly reach?: number
}

interface ViewOptions {
  readonly place: HTMLElement
  readonly picture: Picture
  readonly width: number
  readonly height: number
  /** Charts with the same word share their crosshair. */
  readonly syncKey: string
  /** Called with a range that was dragged over. */
  readonly onSelect: (range: TimeRange) => void
  /** Called with the position of the crosshair; undefined when it is hidden. */
  readonly onCursor: (time: number | undefined) => void
  /** Called with the left axis each time it is drawn. */
  readonly onScale: (scale: ValueScale) => void
}

/** The height of the time axis. */
export const AXIS_HEIGHT = 46
const FONT_SIZE = 12
/** Pixels that a mouse moves at least to choose a stretch; less is a click. */
const DRAG_MIN = 4
const TICK_SPACE = 72
/** Half of the longest text of the time axis: where no value axis stands, one at the edge hangs over by so much. */
const LABEL_ROOM = 44

/** A uPlot chart that draws a picture, which may be changed at any time. */
export class UplotView {
  readonly #plot: uPlot
  #picture: Picture
  readonly #options: ViewOptions
  #height: number
  /** Where dragging began and ended in the page: uPlot's own places lag behind a busy page. */
  #dragged = { oneX: 0, otherX: 0 }
  #isDragging = false

  constructor(options: ViewOptions) {
    this.#options = options
    this.#height = options.height
    this.#picture = options.picture
    this.#plot = new uPlot(this.#uplotOptions(), this.#data(), options.place)
  }

  /** Draws another picture in the same place; `rebuild` is needed when axes or theme differ. */
  show(picture: Picture): void {
    this.#picture = picture
    this.#plot.setData(this.#data(), true)
  }

  /** A size of its own, also while somebody drags over the chart. */
  resize(width: number, height: number): void {
    this.#height = height
    this.#plot.setSize({ width, height })
  }

  /** The time at a place of the page, and whether it is over the plot or over its time axis. */
  at(clientX: number, clientY: number): { time: number; isOverAxis: boolean; isOverPlot: boolean } {
    const { left, top, width, height } = this.#plot.over.getBoundingClientRect()
    const x = clientX - left
    const isInside = x >= 0 && x <= width
    return {
      time: this.#plot.posToVal(x, 'x'),
      isOverAxis: isInside && clientY > top + height,
      isOverPlot: isInside && clientY >= top && clientY <= top + height,
    }
  }

  /** Shows a stretch of the plot as chosen, between two places of the page. */
  showSelection(oneX: number, otherX: number): void {
    this.#dragged = { oneX, otherX }
    const { left: start, width, height } = this.#plot.over.getBoundingClientRect()
    const inside = (x: number) => Math.min(Math.max(x - start, 0), width)
    const left = Math.min(inside(oneX), inside(otherX))
    const size = Math.abs(inside(oneX) - inside(otherX))
    this.#plot.setSelect({ left, top: 0, width: size, height }, false)
  }

  /** Shows what was chosen so in full, or forgets it. */
  endSelection(isMeant: boolean): void {
    if (isMeant) this.#select(this.#plot)
    this.#plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
  }

  /** The width of the plot in CSS pixels. */
  get plotWidth(): number {
    return this.#plot.over.clientWidth
  }

  close(): void {
    this.#plot.destroy()
  }

  /** uPlot needs data to have scales; what is drawn does not come from it. */
  #data(): uPlot.AlignedData {
    const { from, until } = this.#picture.range
    return [
      [from, until],
      [0, 0],
      [0, 0],
    ]
  }

  #uplotOptions(): uPlot.Options {
    const { width, height, syncKey } = this.#options
    const { axes } = this.#picture
    return {
      width,
      height,
      ms: 1,
      padding: [
        8,
        axes.right.length > 0 ? 0 : LABEL_ROOM,
        0,
        axes.left.length > 0 ? 0 : LABEL_ROOM,
      ],
      legend: { show: false },
      cursor: {
        y: false,
        points: { show: false },
        sync: {
          key: syncKey,
          setSeries: false,
          // Only the crosshair is shared: each chart is zoomed by itself.
          filters: {
            pub: (type) => type === 'mousemove' || type === 'mouseleave',
            sub: () => true,
          },
        },
        drag: { x: true, y: false, setScale: false },
        bind: {
          // A click back is the chart's own matter, and so is dragging with Shift.
          dblclick: () => null,
          mousedown: (_self, _target, handler) => (event: MouseEvent) => {
            if (event.shiftKey || event.button !== 0) return null
            this.#dragged = { oneX: event.clientX, otherX: event.clientX }
            this.#isDragging = true
            handler(event)
            return null
          },
          mouseup: (self, _target, handler) => (event: MouseEvent) => {
            this.#dragged = { ...this.#dragged, otherX: event.clientX }
            handler(event)
            // A change of the chart's size meanwhile has uPlot forget what was dragged over.
            if (this.#isDragging) this.#select(self)
            return null
          },
        },
      },
      scales: {
        x: { time: false, range: () => [this.#picture.range.from, this.#picture.range.until] },
        y: { range: () => this.#leftExtent() },
        y2: { range: () => this.#extent(({ side }) => side === 'y2') },
      },
      series: [{}, { scale: 'y', show: true }, { scale: 'y2', show: true }].map((one) => ({
        ...one,
        paths: () => null,
        points: { show: false },
      })),
      axes: [this.#timeAxis(), this.#valueAxis('y'), this.#valueAxis('y2')],
      hooks: {
        draw: [(self) => this.#draw(self), (self) => this.#reportScale(self)],
        setSelect: [(self) => this.#select(self)],
        setCursor: [(self) => this.#reportCursor(self)],
      },
    }
  }

  #timeAxis(): uPlot.Axis {
    const { tokens } = this.#picture
    return {
      ...this.#axisLook(tokens),
      size: AXIS_HEIGHT,
      splits: (self, _axis, min, max) => {
        const space = TICK_SPACE * ((max - min) / Math.max(self.over.clientWidth || self.width, 1))
        return timeTicks(this.#picture.zone, min, max, space)
      },
      values: (_self, splits) => tickTexts(this.#picture.zone, splits),
    }
  }

  #valueAxis(scale: 'y' | 'y2'): uPlot.Axis {
    const { tokens, axes } = this.#picture
    const units = scale === 'y' ? axes.left : axes.right
    const label = units.filter((unit) => unit.trim() !== '').join(' · ')
    return {
      ...this.#axisLook(tokens),
      scale,
      side: scale === 'y' ? 3 : 1,
      show: units.length > 0,
      size: (_self, values) => 18 + Math.max(24, ...(values ?? []).map((text) => text.length * 7)),
      space: 36,
      values: (_self, splits, _axis, _space, step) => valueTexts(splits, step),
      ...(label === '' ? {} : { label, labelSize: 20, labelFont: `${FONT_SIZE}px ${tokens.font}` }),
      grid: { show: scale === 'y', stroke: tokens.line, width: 1 },
    }
  }

  #axisLook({ soft, line, font }: ChartTokens): uPlot.Axis {
    return {
      stroke: soft,
      font: `${FONT_SIZE}px ${font}`,
      grid: { stroke: line, width: 1 },
      ticks: { stroke: line, width: 1, size: 6 },
    }
  }

  /** The left axis, which may have limits of its own. */
  #leftExtent(): [number, number] {
    const [low, high] = this.#extent(({ side }) => side === 'y', this.#picture.reach)
    return limited([low, high], this.#picture.limits)
  }

  /** What a scale reaches from and to, so that all series of it have room. */
  #extent(isOfScale: (series: DrawnSeries) => boolean, reach?: number): [number, number] {
    const { series, range } = this.#picture
    const own = series.flatMap((one) =>
      isNumbers(one.data) && !one.isHidden && isOfScale(one) ? [one.data] : [],
    )
    const [low, high] = roomyExtent(widened(extentOf(own, range.from, range.until), reach))
    // Strips are drawn at the top of the plot; numbers get the room below them.
    const taken = Math.min(0.8, this.#stripsHeight() / Math.max(this.#height - AXIS_HEIGHT, 1))
    return [low, high + ((high - low) * taken) / (1 - taken)]
  }

  #stripsHeight(): number {
    const count = this.#strips().length
    return count === 0 ? 0 : count * (STRIP_HEIGHT + STRIP_ROOM) + STRIP_ROOM
  }

  #strips(): DrawnSeries[] {
    return this.#picture.series.filter(({ data }) => !isNumbers(data))
  }

  #draw(self: uPlot): void {
    const { ctx, bbox } = self
    const ratio = uPlot.pxRatio
    const canvasOf = (series: DrawnSeries): Canvas => ({
      ctx,
      ratio,
      box: bbox,
      xOf: (time) => self.valToPos(time, 'x', true),
      yOf: this.#heightOf(self, series),
    })
    ctx.save()
    ctx.beginPath()
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
    ctx.clip()
    const shown = this.#picture.series.flatMap((series) => {
      const { data, colour, isHidden } = series
      return isNumbers(data) && !isHidden ? [{ data, colour, canvas: canvasOf(series) }] : []
    })
    for (const { canvas, data, colour } of shown) drawNumbers(canvas, data, colour)
    this.#drawThresholds(self)
    ctx.restore()
    for (const { canvas, data, colour } of shown) drawPoints(canvas, data, colour)
    const { tokens } = this.#picture
    const look = {
      palette: tokens.series,
      ink: tokens.ink,
      ground: tokens.card,
      font: `${FONT_SIZE * ratio}px ${tokens.font}`,
    }
    const stripsHeight = this.#stripsHeight() * ratio
    ctx.fillStyle = tokens.card
    ctx.fillRect(bbox.left, bbox.top, bbox.width, stripsHeight)
    for (const [at, series] of this.#strips().entries()) {
      const { data, colour, isHidden } = series
      const top = bbox.top + (STRIP_ROOM + at * (STRIP_HEIGHT + STRIP_ROOM)) * ratio
      if (!isNumbers(data) && !isHidden) drawStrip(canvasOf(series), data, { top, colour, look })
    }
  }

  #drawThresholds({ ctx, bbox, valToPos }: uPlot): void {
    const { thresholds = [], tokens } = this.#picture
    ctx.lineWidth = LINE_WIDTH * uPlot.pxRatio
    ctx.setLineDash([6 * uPlot.pxRatio, 4 * uPlot.pxRatio])
    for (const { value, color } of thresholds) {
      const y = valToPos(value, 'y', true)
      ctx.strokeStyle = tokens.levels[color]
      ctx.beginPath()
      ctx.moveTo(bbox.left, y)
      ctx.lineTo(bbox.left + bbox.width, y)
      ctx.stroke()
    }
    ctx.setLineDash([])
  }

  /** How high values of a series lie: by its axis, or by a scale that its unit alone has. */
  #heightOf(self: uPlot, { side, unit }: DrawnSeries): (value: number) => number {
    if (side !== 'own') return (value) => self.valToPos(value, side, true)
    const [low, high] = this.#extent((one) => one.side === 'own' && one.unit === unit)
    const { top, height } = self.bbox
    return (value) => top + height * (1 - (value - low) / (high - low))
  }

  #select(self: uPlot): void {
    this.#isDragging = false
    const { oneX, otherX } = this.#dragged
    self.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
    if (Math.abs(oneX - otherX) < DRAG_MIN) return
    const { left, width } = self.over.getBoundingClientRect()
    const timeAt = (x: number) => {
      return Math.round(self.posToVal(Math.min(Math.max(x - left, 0), width), 'x'))
    }
    const [from, until] = [timeAt(Math.min(oneX, otherX)), timeAt(Math.max(oneX, otherX))]
    this.#options.onSelect({ from, until })
  }

  #reportCursor(self: uPlot): void {
    const { left = -1 } = self.cursor
    this.#options.onCursor(left < 0 ? undefined : self.posToVal(left, 'x'))
  }

  #reportScale({ bbox, scales }: uPlot): void {
    const { min, max } = scales.y
    if (min === undefined || max === undefined || min === null || max === null) return
    const [left, top, width, height] = [bbox.left, bbox.top, bbox.width, bbox.height].map(
      (pixels) => pixels / uPlot.pxRatio,
    )
    this.#options.onScale({ min, max, left, top, width, height })
  }
}
