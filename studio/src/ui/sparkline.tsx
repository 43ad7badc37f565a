import { drawSparkline, SPARK_WIDTH, type SparkLook, type SparkPoint } from './spark-drawing.ts'
import styles from './sparkline.module.css'

interface SparklineProps extends SparkLook {
  /** Ascending by `at`. */
  readonly points: readonly SparkPoint[]
  /** What is drawn, for screen readers. */
  readonly label: string
}

/** A small line without axes, for lists; a single point is a dot where it lies. */
export function Sparkline({ points, label, height = 32, ...rest }: SparklineProps) {
  const { path, dot } = drawSparkline(points, { height, ...rest })
  return (
    <span className={styles.place}>
      <svg
        className={styles.line}
        viewBox={`0 0 ${SPARK_WIDTH} ${height}`}
        preserveAspectRatio="none"
        height={height}
        role="img"
        aria-label={label}
      >
        <path d={path} />
      </svg>
      {dot !== undefined && (
        <span
          className={styles.dot}
          style={{ left: `${dot.left * 100}%`, top: `${dot.top * 100}%` }}
        />
      )}
    </span>
  )
}
