import { numberText } from '../../../chart/figures.ts'
import { levelOf } from '../../../chart/levels.ts'
import type { Panel, PanelStream } from '../board-types.ts'
import { useLastValue } from '../live-board.ts'
import { GoneStream } from './gone-stream.tsx'
import styles from './panels.module.css'
import { useStatistic } from './statistic.ts'
import { nameOf, useStreamFacts } from './stream-facts.ts'
import { valueText } from './value-panel.tsx'

/** Half a turn of a circle of radius 80 around (100, 100). */
const ARC = 'M20 100A80 80 0 0 1 180 100'
const ARC_LENGTH = Math.PI * 80
/** Characters of a reading that fit between the ends of the arc in small letters, and in the smallest. */
const LONG = 13
const LONGEST = 18

/** Gauges between a least and a greatest value. */
export function GaugePanel({ panel }: { readonly panel: Panel }) {
  return (
    <div className={styles.gauges}>
      {panel.streams.map((stream) => (
        <OneGauge
          key={`${stream.componentUid}/${stream.streamUid}`}
          panel={panel}
          stream={stream}
        />
      ))}
    </div>
  )
}

function OneGauge({ panel, stream }: { readonly panel: Panel; readonly stream: PanelStream }) {
  const { facts, isGone, error } = useStreamFacts(stream)
  const last = useLastValue(stream.streamUid)
  const shown = useStatistic(panel, stream) ?? last
  if (isGone) return <GoneStream stream={stream} name={facts && nameOf(facts)} />
  const value = typeof shown?.data === 'number' ? shown.data : undefined
  const { min, max } = boundsOf(panel, value)
  const part = value === undefined ? 0 : Math.min(1, Math.max(0, (value - min) / (max - min)))
  const name = facts === undefined ? (error ?? 'Gauge') : nameOf(facts)
  const { decimals, thresholds } = panel.options
  const text = shown === undefined ? '–' : valueText(shown, decimals)
  return (
    <div className={styles.gauge}>
      <meter
        className="visually-hidden"
        aria-label={name}
        aria-valuetext={text}
        value={value ?? min}
        min={min}
        max={max}
      />
      <svg viewBox="0 0 200 116" aria-hidden="true">
        <path className={styles.track} d={ARC} />
        {value !== undefined && (
          <path
            className={styles.part}
            data-level={levelOf(value, thresholds)}
            d={ARC}
            strokeDasharray={`${part * ARC_LENGTH} ${ARC_LENGTH}`}
          />
        )}
        <Bound text={numberText(min)} middle={20} edge={0} />
        <Bound text={numberText(max)} middle={180} edge={200} />
        <text
          x="100"
          y="96"
          className={styles.reading}
          data-long={text.length > LONG ? 'very' : text.length > 8 || undefined}
          textAnchor="middle"
        >
          {text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text}
        </text>
      </svg>
      <span className={styles.label}>{name}</span>
    </div>
  )
}

/** Texts up to this number of characters fit below an end of the arc; longer ones begin or end at the edge. */
const SHORT_BOUND = 5

interface BoundProps {
  readonly text: string
  readonly middle: number
  readonly edge: number
}

function Bound({ text, middle, edge }: BoundProps) {
  const isShort = text.length <= SHORT_BOUND
  const anchor = edge === 0 ? 'start' : 'end'
  return (
    <text
      x={isShort ? middle : edge}
      y="114"
      className={styles.bound}
      textAnchor={isShort ? 'middle' : anchor}
    >
      {text}
    </text>
  )
}

/** What the panel says, else from nothing to the next round number above the value. */
function boundsOf(panel: Panel, value = 0): { readonly min: number; readonly max: number } {
  const { options } = panel
  const reach = 10 ** Math.ceil(Math.log10(Math.max(1, Math.abs(value))))
  const least = value < 0 ? -reach : 0
  const min = options.min ?? (options.max === null ? least : Math.min(least, options.max - 1))
  return { min, max: options.max ?? Math.max(reach, min + 1) }
}
