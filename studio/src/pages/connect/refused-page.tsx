import { useRef } from 'react'
import { call } from '../../api/client.ts'
import type { Schema } from '../../api/paths.ts'
import { useQuery } from '../../api/use-query.ts'
import { useAddress } from '../../app/place.ts'
import { SectionFrame } from '../../app/section-frame.tsx'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Moment } from '../../ui/time/moment.tsx'
import styles from './connect.module.css'
import { CONNECT } from './connect-section.ts'
import { Pages } from './pages.tsx'
import { useHeld } from './use-held.ts'

const PAGE = 100
const REFRESH_MS = 3_000
/** Longer lines are cut until somebody wants to see them. */
const SHORT = 120

type Refused = Schema<'RefusedPoint'>

/** The last points of other protocols that were not stored. The list follows what happens while nobody reads in it. */
export function RefusedPage() {
  const { query } = useAddress()
  const start = Math.max(0, Math.trunc(Number(query.get('start') ?? 0)) || 0)
  const { data, error } = useQuery(
    ['door', 'refused', start],
    (signal) => call('get', '/api/door/refused', { query: { start, limit: PAGE }, signal }),
    // Further pages would move with every new point.
    { refreshMs: start === 0 ? REFRESH_MS : undefined },
  )
  const place = useRef<HTMLDivElement>(null)
  const held = useHeld(data, { id: start, markOf, isRead: () => isRead(place.current) })
  const { refused = [], totalCount = 0 } = held.shown ?? {}
  const showNew = () => {
    held.release()
    window.scrollTo({ top: 0 })
  }
  return (
    <SectionFrame section={CONNECT} here="/connect/refused">
      <p className={styles.soft}>
        Points of other protocols that could not be stored, newest first. The service keeps the last
        1,000 in memory: a restart clears the list.
      </p>
      <div className={styles.news} role="status">
        {held.isBehind && (
          <Button kind="primary" onClick={showNew}>
            Show new points
          </Button>
        )}
      </div>
      {error !== undefined && <Empty text={error.message} />}
      {held.shown !== undefined && refused.length === 0 && (
        <Empty text="No refused points. If a point cannot be stored, it appears here with the reason." />
      )}
      <div ref={place} className={styles.part}>
        {refused.length > 0 && (
          <DataTable
            label="Refused points"
            columns={columns}
            rows={refused.map((point, at) => ({ ...point, number: totalCount - start - at }))}
            keyOf={({ number }) => String(number)}
          />
        )}
        <Pages start={start} total={totalCount} size={PAGE} name="start" />
      </div>
    </SectionFrame>
  )
}

/** What changes when a point is refused: the list has at most 1,000 of them. */
function markOf({ refused, totalCount }: { refused: readonly Refused[]; totalCount: number }) {
  return JSON.stringify([totalCount, refused[0]])
}

/** Whether somebody reads in a list: further down, in a line that is open, or in a selection. */
function isRead(list: HTMLElement | null): boolean {
  if (list === null) return false
  const { activeElement } = document
  const selection = document.getSelection()
  return (
    list.getBoundingClientRect().top < 0 ||
    list.querySelector('details[open]') !== null ||
    list.contains(activeElement) ||
    (selection?.isCollapsed === false && selection.containsNode(list, true))
  )
}

const columns: ReadonlyArray<Column<Refused>> = [
  {
    id: 'time',
    label: 'Time',
    show: ({ time, door, key }) => (
      <span>
        <Moment time={time} />
        <span className={styles.beside}>
          {door}
          {key !== '' && <> · {key}</>}
        </span>
      </span>
    ),
  },
  {
    id: 'reason',
    label: 'Reason and line',
    show: ({ reason, line }) => (
      <>
        <span className={styles.reason}>{reason}</span>
        <Line text={line} />
      </>
    ),
  },
]

function Line({ text }: { readonly text: string }) {
  const shown = (
    <bdi className={styles.body} dir="auto">
      {text}
    </bdi>
  )
  if (text.length <= SHORT) return <div className={styles.line}>{shown}</div>
  return (
    <details className={styles.line}>
      <summary className={styles.message}>{shown}</summary>
    </details>
  )
}
