import { useMemo, useState } from 'react'
import { Chart } from '../../../chart/chart.tsx'
import { type NextRange, rangeAfter, type TimeRange } from '../../../chart/time-range.ts'
import type { GqlAnswer } from '../gql-answer.ts'
import styles from './result.module.css'
import { pictureOf, SERIES_MAX } from './result-series.ts'

interface ResultChartProps {
  readonly label: string
  readonly answer: Pick<GqlAnswer, 'cols' | 'rows'>
  readonly zone: string
  readonly height?: number
  readonly isCompact?: boolean
}

/** Ranges that one can go back to. */
const STEPS_MAX = 100

/** Rows of a time and numbers as a chart; zooming changes what is seen, nothing is asked for. */
export function ResultChart({ label, answer, zone, height, isCompact }: ResultChartProps) {
  const { cols, rows } = answer
  const picture = useMemo(() => pictureOf(cols, rows), [cols, rows])
  const [steps, setSteps] = useState<readonly TimeRange[]>([])
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  if (picture === undefined) {
    return (
      <p className={styles.note}>
        A chart needs a time column, such as time of SAMPLE, and a number column.
      </p>
    )
  }
  const { series, range, seriesCount } = picture
  const move = (next: NextRange, { isStep }: { readonly isStep: boolean }) =>
    setSteps((now) => {
      const kept = isStep ? now : now.slice(0, -1)
      return [...kept, rangeAfter(now.at(-1) ?? range, next)].slice(-STEPS_MAX)
    })
  const reset = () => setSteps([])
  return (
    <>
      {seriesCount > SERIES_MAX && (
        <p className={styles.note}>
          Showing the first {SERIES_MAX} of {seriesCount} lines.
        </p>
      )}
      <Chart
        range={steps.at(-1) ?? range}
        onHidden={setHidden}
        onMove={move}
        onBack={() => setSteps((now) => now.slice(0, -1))}
        onReset={reset}
        onNow={reset}
        onLive={reset}
        syncKey="result"
        label={label}
        series={series}
        zone={zone}
        hidden={hidden}
        isCompact={isCompact}
        {...(height === undefined ? {} : { height })}
      />
    </>
  )
}
