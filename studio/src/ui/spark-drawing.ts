/** Small lines as paths: what is drawn of some points. */

/** A point of a line: anything that grows to the right, and how high. */
export interface SparkPoint {
  readonly at: number
  readonly value: number
}

/** What is drawn, in the units of its box. */
export interface SparkDrawing {
  readonly path: string
  /** Where a single point stands, in parts of the width and of the height. */
  readonly dot: { readonly left: number; readonly top: number } | undefined
}

/** What the width is counted in, whatever it is in pixels. */
export const SPARK_WIDTH = 200
/** Room above and below, for the width of the line. */
const ROOM = 2

/** How a small line is drawn. */
export interface SparkLook {
  /** In pixels; the width is that of its place. */
  readonly height?: number
  /** What the width stands for; without it from the first point to the last. */
  readonly from?: number
  readonly until?: number
  /** Whether a value holds until the next one, as on and off do: between 0 and 1, without slopes. */
  readonly isSteps?: boolean
}

/** The path of a small line, or the dot of a single point. */
export function drawSparkline(
  points: readonly SparkPoint[],
  { height = 32, from, until, isSteps = false }: SparkLook,
): SparkDrawing {
  const known = points.filter(({ value }) => Number.isFinite(value))
  if (known.length === 0) return { path: '', dot: undefined }
  const first = from ?? known[0].at
  const span = Math.max((until ?? known[known.length - 1].at) - first, 1)
  const [low, high] = isSteps ? [0, 1] : extentOf(known)
  const partOf = ({ at }: SparkPoint) => Math.min(Math.max((at - first) / span, 0), 1)
  // A line that does not move is in the middle.
  const yOf = ({ value }: SparkPoint) =>
    high === low ? height / 2 : height - ROOM - ((value - low) / (high - low)) * (height - 2 * ROOM)
  const place = (point: SparkPoint) =>
    [(partOf(point) * SPARK_WIDTH).toFixed(1), yOf(point).toFixed(1)] as const
  const isOne = known.length === 1
  const dot = isOne ? { left: partOf(known[0]), top: yOf(known[0]) / height } : undefined
  if (isSteps) return { path: stepsOf(known.map(place)), dot }
  if (isOne) return { path: '', dot }
  return { path: `M${known.map((point) => place(point).join(' ')).join('L')}`, dot }
}

/** Each value holds until the next one, the last to the end. */
function stepsOf(places: ReadonlyArray<readonly [x: string, y: string]>): string {
  const [[x, y], ...rest] = places
  return `M${x} ${y}${rest.map(([nextX, nextY]) => `H${nextX}V${nextY}`).join('')}H${SPARK_WIDTH}`
}

function extentOf(points: readonly SparkPoint[]): [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const { value } of points) [low, high] = [Math.min(low, value), Math.max(high, value)]
  return [low, high]
}
