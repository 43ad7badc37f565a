import { type CSSProperties, useMemo } from 'react'
import { call } from '../../api/client.ts'
import { useLiveState } from '../../api/live.ts'
import type { Schema } from '../../api/paths.ts'
import { useQuery } from '../../api/use-query.ts'
import { Link } from '../../app/link.tsx'
import { streamPath } from '../../app/paths.ts'
import { fileName } from '../../chart/chart-series.ts'
import { numberText } from '../../chart/figures.ts'
import { spacedText } from '../../chart/unit-text.ts'
import { Sparkline } from '../../ui/sparkline.tsx'
import { Age } from '../../ui/time/age.tsx'
import { VirtualList } from '../../ui/virtual-list.tsx'
import styles from './explore.module.css'
import type { FoundComponent } from './use-component.ts'
import { type LastValue, useLastValues } from './use-last-values.ts'

const ROW_HEIGHT = 56
const LINES_REFRESH_MS = 60_000
const LINES_PER_CALL = 200
const POINTS = 48

/** A small line, and the stretch that it is drawn in. */
interface Line {
  readonly points: ReadonlyArray<{ readonly at: number; readonly value: number }>
  readonly from: number
  readonly until: number
}

/** All streams of a component: name, last value with its unit, age, and a line of 24 hours. */
export function StreamList({ found }: { readonly found: FoundComponent }) {
  const { component, streams, streamCount } = found
  const isWhole = streamCount <= streams.length
  const uids = useMemo(() => streams.map(({ uid }) => uid), [streams])
  const values = useLastValues(component.uid, isWhole ? undefined : uids)
  // Streams without samples cause no events.
  const state = useLiveState()
  const isKnown = state === 'live' || state === 'looking' || values !== undefined
  const { data: lines } = useLines(component.uid, streams.length)
  return (
    <>
      {!isWhole && (
        <p className={styles.count}>
          Showing the first {streams.length} of {streamCount} streams. Use the search (Ctrl K) to
          find others.
        </p>
      )}
      <div style={{ '--rows': streams.length } as CSSProperties}>
        <VirtualList
          label="Streams"
          className={styles.streams}
          count={streams.length}
          rowHeight={ROW_HEIGHT}
          keyOf={(index) => streams[index].uid}
          renderRow={(index) => {
            const stream = streams[index]
            return (
              <StreamRow
                stream={stream}
                componentUid={component.uid}
                zone={component.timeZoneId}
                value={values?.get(stream.uid)}
                isKnown={isKnown}
                line={lines?.get(stream.uid)}
              />
            )
          }}
        />
      </div>
    </>
  )
}

interface StreamRowProps {
  readonly stream: Schema<'Stream'>
  readonly componentUid: string
  readonly zone: string
  readonly value: LastValue | undefined
  readonly isKnown: boolean
  readonly line: Line | undefined
}

function StreamRow({ stream, componentUid, zone, value, isKnown, line }: StreamRowProps) {
  const name = stream.name || stream.id || 'Unnamed'
  return (
    <Link className={styles.stream} to={streamPath(componentUid, stream.uid)}>
      <span className={styles.streamName} title={[name, stream.id].join('\n')}>
        {name}
      </span>
      <span
        className={styles.value}
        title={value === undefined ? undefined : textOf(stream, value)}
      >
        {value !== undefined && shortOf(stream, value)}
        {value === undefined && isKnown && <span className={styles.none}>no samples</span>}
      </span>
      <span className={styles.age}>
        {value !== undefined && <Age time={value.time} zone={zone} />}
      </span>
      <span className={styles.line}>
        {line !== undefined && (
          <Sparkline {...line} isSteps={stream.valueType === 'BOOLEAN'} label="the last 24 hours" />
        )}
      </span>
    </Link>
  )
}

type Valued = Pick<Schema<'Stream'>, 'valueType'>

function textOf({ valueType }: Valued, { fData, data, isCut }: LastValue): string {
  // The value of a file is its address. The end of it is enough for users.
  if (valueType === 'FILE' && typeof data === 'string' && isCut !== true) return fileName(data)
  return isCut === true ? `${fData}…` : spacedText(fData, data)
}

/** A value in a list: of a number without a format of its own as many digits as one takes in. */
function shortOf(stream: Valued, value: LastValue): string {
  const { fData, data } = value
  if (typeof data !== 'number') return textOf(stream, value)
  return spacedText(fData.replace(String(data), numberText(data)), data)
}

/** The small lines of all streams, some hundred a call. */
function useLines(componentUid: string, count: number) {
  return useQuery(
    ['spark', componentUid, count],
    async (signal) => {
      const lines = new Map<string, Line>()
      for (let start = 0; start < count; start += LINES_PER_CALL) {
        const { spark } = await call('get', '/api/component/{componentUid}/spark', {
          path: { componentUid },
          query: { start, points: POINTS },
          signal,
        })
        const { from, until } = spark
        const stepMs = (until - from) / POINTS
        for (const { streamUid, mean } of spark.streams) {
          const points = mean.flatMap((value, at) =>
            value === null ? [] : [{ at: from + (at + 0.5) * stepMs, value }],
          )
          lines.set(streamUid, { points, from, until })
        }
      }
      return lines
    },
    { refreshMs: LINES_REFRESH_MS, keepPrevious: true },
  )
}
