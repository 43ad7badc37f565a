import type { NumberSeries } from './chart-series.ts'

/** Where things lie on the canvas, in its own pixels. */
export interface Canvas {
  readonly ctx: CanvasRenderingContext2D
  readonly xOf: (time: number) => number
  readonly yOf: (value: number) => number
  /** Canvas pixels of a CSS pixel. */
  readonly ratio: number
  /** The box of the plot. */
  readonly box: {
    readonly left: number
    readonly top: number
    readonly width: number
    readonly height: number
  }
}

/** The width of a line in CSS pixels. */
export const LINE_WIDTH = 1.5

/** A stretch of entries with nothing missing in between, as [first, behind the last]. */
export type Run = readonly [first: number, behind: number]

/** Where the line of an entry goes through: the middle of its stretch. */
export const middleOf = ({ starts, ends }: NumberSeries, at: number) => (starts[at] + ends[at]) / 2
