import styles from './sparkline.module.css'

/** A point of a line: anything that grows to the right, and how high. */
export interface SparkPoint {
  readonly at: number
  readonly value: number
}

const WIDTH = 200

interface SparklineProps {
  /** Ascending by `at`. */
  readonly points: readonly SparkPoint[]
  /** What is drawn, for screen readers. */
  readonly label: string
  /** In pixels; the width is that of its place. */
  readonly height?: number
}

/** A small line without axes, for lists. */
export function Sparkline({ points, label, height = 32 }: SparklineProps) {
  return (
    <svg
      className={styles.line}
      viewBox={`0 0 ${WIDTH} ${height}`}
      preserveAspectRatio="none"
      height={height}
      role="img"
      aria-label={label}
    >
      <path d={pathOf(points, height)} />
    </svg>
  )
}

function pathOf(points: readonly SparkPoint[], height: number): string {
  const known = points.filter(({ value }) => Number.isFinite(value))
  if (known.length === 0) return ''
  const first = known[0].at
  const span = Math.max(known[known.length - 1].at - first, 1)
  const low = known.reduce((least, { value }) => Math.min(least, value), Number.POSITIVE_INFINITY)
  const high = known.reduce((most, { value }) => Math.max(most, value), Number.NEGATIVE_INFINITY)
  const xOf = ({ at }: SparkPoint) => (((at - first) / span) * WIDTH).toFixed(1)
  // A line that does not move is in the middle.
  const yOf = ({ value }: SparkPoint) =>
    (high === low
      ? height / 2
      : height - 2 - ((value - low) / (high - low)) * (height - 4)
    ).toFixed(1)
  if (known.length === 1) return `M0 ${yOf(known[0])}H${WIDTH}`
  return known.map((point, at) => `${at === 0 ? 'M' : 'L'}${xOf(point)} ${yOf(point)}`).join('')
}
