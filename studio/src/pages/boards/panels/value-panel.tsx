import { fileName } from '../../../chart/chart-series.ts'
import { numberText } from '../../../chart/figures.ts'
import { levelOf } from '../../../chart/levels.ts'
import { spacedText, withDecimals } from '../../../chart/unit-text.ts'
import { Age } from '../../../ui/time/age.tsx'
import type { Panel, PanelStream } from '../board-types.ts'
import { type ShownValue, useLastValue } from '../live-board.ts'
import { GoneStream } from './gone-stream.tsx'
import styles from './panels.module.css'
import { useStatistic } from './statistic.ts'
import { nameOf, useStreamFacts } from './stream-facts.ts'

/** Characters that the narrowest panel has room for in large letters. */
const LONG = 12

/** The last values of streams, large enough to be read from afar. */
export function ValuePanel({ panel }: { readonly panel: Panel }) {
  return (
    <ul className={styles.values}>
      {panel.streams.map((stream) => (
        <li key={`${stream.componentUid}/${stream.streamUid}`}>
          <OneValue panel={panel} stream={stream} />
        </li>
      ))}
    </ul>
  )
}

function OneValue({ panel, stream }: { readonly panel: Panel; readonly stream: PanelStream }) {
  const { facts, isGone, error } = useStreamFacts(stream)
  const last = useLastValue(stream.streamUid)
  const statistic = useStatistic(panel, stream)
  if (isGone) return <GoneStream stream={stream} name={facts && nameOf(facts)} />
  const shown = statistic ?? (facts?.isFile === true ? namedFile(last) : last)
  const { decimals, thresholds } = panel.options
  const text = shown === undefined ? '–' : valueText(shown, decimals)
  return (
    <div className={styles.value}>
      <span className={styles.label}>{facts === undefined ? (error ?? '') : nameOf(facts)}</span>
      <strong
        className={styles.number}
        data-long={text.length > LONG || undefined}
        data-level={levelOf(shown?.data, thresholds)}
        title={shown === undefined ? '' : wholeText(shown)}
      >
        {text}
      </strong>
      {shown !== undefined && (
        <span className={styles.age}>
          <Age time={shown.time} zone={panel.options.timeZoneId || facts?.timeZoneId} />
        </span>
      )}
    </div>
  )
}

/** The value of a file is its address, and the end of it is enough for users. */
function namedFile(last: ShownValue | undefined): ShownValue | undefined {
  if (typeof last?.data !== 'string') return last
  return { ...last, data: fileName(last.data), fData: undefined }
}

type Shown = Pick<ShownValue, 'data' | 'fData'>

function wholeText({ data, fData }: Shown): string {
  return fData === undefined ? (data === null ? '–' : String(data)) : spacedText(fData, data)
}

/** A value as people read it: numbers without a format of their own with as many digits as one takes in. */
export function valueText(sample: Shown, decimals?: number): string {
  const whole = wholeText(sample)
  const { data, fData = String(data) } = sample
  if (typeof data !== 'number') return whole
  if (decimals !== undefined) return withDecimals(fData, data, decimals)
  return spacedText(whole.replace(String(data), numberText(data)), data)
}
