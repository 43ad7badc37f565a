import { request } from '../../../api/client.ts'
import { useQuery } from '../../../api/use-query.ts'
import { momentText } from '../../../ui/time/moment-text.ts'
import type { Panel, PanelStream } from '../board-types.ts'
import type { ShownValue } from '../live-board.ts'
import { rangeAt } from '../ranges.ts'
import { useNews } from '../use-news.ts'
import { GoneStream } from './gone-stream.tsx'
import styles from './panels.module.css'
import { nameOf, type StreamFacts, useStreamFacts } from './stream-facts.ts'
import { valueText } from './value-panel.tsx'

/** The latest samples of streams in the panel's range, the latest first. */
export function TablePanel({ panel, range }: { readonly panel: Panel; readonly range: string }) {
  return (
    <div className={styles.tables}>
      {panel.streams.map((stream) => (
        <OneTable
          key={`${stream.componentUid}/${stream.streamUid}`}
          {...{ panel, stream, range }}
        />
      ))}
    </div>
  )
}

interface OneTableProps {
  readonly panel: Panel
  readonly stream: PanelStream
  readonly range: string
}

function OneTable({ panel, stream, range }: OneTableProps) {
  const { facts, isGone, error } = useStreamFacts(stream)
  const zone = panel.options.timeZoneId || facts?.timeZoneId || 'UTC'
  const { cycleId, stat, rows } = panel.options
  const key = ['table', stream.streamUid, range, zone, rows, cycleId, stat]
  const hasId = facts !== undefined && facts.compId !== '' && facts.streamId !== ''
  const found = useQuery(
    key,
    (signal) => readRows(facts, { panel, range: rangeAt(range, zone, Date.now()), signal }),
    { isOff: !hasId || isGone, keepPrevious: true },
  )
  useNews([stream.streamUid], () => !isGone && found.reload())
  if (isGone) return <GoneStream stream={stream} name={facts && nameOf(facts)} />
  const name = facts === undefined ? '' : nameOf(facts)
  const problem = error ?? found.error?.message
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <div className={styles.scroll} tabIndex={0}>
      <table className={styles.table}>
        <caption>
          <span className={styles.caption} title={name}>
            {name}
          </span>
        </caption>
        <thead>
          <tr>
            <th scope="col">Time, {zone}</th>
            <th scope="col">Value</th>
          </tr>
        </thead>
        <tbody>
          {(found.data ?? []).map((row) => (
            <tr key={row.time}>
              <td>{momentText(zone, row.time)}</td>
              <td>{valueText(row)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {problem !== undefined && <p className={styles.gone}>{problem}</p>}
      {facts !== undefined && !hasId && (
        <p className={styles.gone}>A table needs a component and a stream with an ID.</p>
      )}
      {found.data?.length === 0 && <p className={styles.gone}>No samples in this range.</p>}
    </div>
  )
}

async function readRows(
  facts: StreamFacts | undefined,
  asked: {
    readonly panel: Panel
    readonly range: { readonly from: number; readonly until: number }
    readonly signal: AbortSignal
  },
): Promise<readonly ShownValue[]> {
  if (facts === undefined) return []
  const { options } = asked.panel
  const parts = ['comp', facts.compId, 'stream', facts.streamId]
  if (options.cycleId !== '' && options.stat !== '') {
    parts.push('cycle', options.cycleId, 'stat', options.stat)
  }
  const path = [...parts, 'feed'].map(encodeURIComponent).join('/')
  const { from, until } = asked.range
  const query = `sd=${from}&ed=${until}&limit=${options.rows}&retFData`
  const answer = await request(`/api/${path}?${query}`, { signal: asked.signal })
  return (await answer.json()) as ShownValue[]
}
