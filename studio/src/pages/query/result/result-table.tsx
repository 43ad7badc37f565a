import { useEffect, useMemo, useRef, useState } from 'react'
import { classes } from '../../../ui/classes.ts'
import type { Cell, ResultColumn } from '../gql-answer.ts'
import { cellText, timeColumns } from './cell-text.ts'
import styles from './result.module.css'

interface ResultTableProps {
  readonly label: string
  readonly columns: readonly ResultColumn[]
  readonly rows: ReadonlyArray<readonly Cell[]>
  /** Whose time zone is used for times. */
  readonly zone: string
}

const ROW_HEIGHT = 29
/** Rows above and below what is seen. */
const AROUND = 10
/** Rows that decide how wide a column is. */
const MEASURED = 200
const WIDTH_MIN = 6
const WIDTH_MAX = 44

/** Rows of any number: only those that are seen are in the page. */
export function ResultTable({ label, columns, rows, zone }: ResultTableProps) {
  const place = useRef<HTMLElement>(null)
  const { from, until } = useSeen(place, rows.length)
  const times = useMemo(() => timeColumns(columns, rows), [columns, rows])
  const texts = useMemo(
    () => (row: readonly Cell[]) => row.map((cell, at) => cellText(cell, times.has(at), zone)),
    [times, zone],
  )
  const widths = useMemo(
    () => widthsOf(columns, rows.slice(0, MEASURED).map(texts)),
    [columns, rows, texts],
  )
  const isNumber = (at: number) => NUMBERS.has(columns[at].valueType) && !times.has(at)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section ref={place} className={styles.scroll} aria-label={label} tabIndex={0}>
      <table className={styles.table} aria-rowcount={rows.length + 1}>
        <colgroup>
          {widths.map((width, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other name, and stay where they are.
            <col key={at} style={{ width: `calc(${width}ch + 24px)` }} />
          ))}
          <col />
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map(({ name }, at) => (
              <th
                // biome-ignore lint/suspicious/noArrayIndexKey: several columns may have one name.
                key={at}
                scope="col"
                className={classes(isNumber(at) && styles.number)}
                title={name}
              >
                {name}
              </th>
            ))}
            <td className={styles.rest} />
          </tr>
        </thead>
        <tbody>
          <Spacer rows={from} span={columns.length + 1} />
          {rows.slice(from, until).map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place.
            <tr key={from + at} aria-rowindex={from + at + 2}>
              {texts(row).map((text, column) => (
                <td
                  // biome-ignore lint/suspicious/noArrayIndexKey: several columns may have one name.
                  key={column}
                  className={classes(
                    isNumber(column) && styles.number,
                    row[column] === null && styles.none,
                  )}
                  title={row[column] === null ? undefined : String(row[column])}
                >
                  {text}
                </td>
              ))}
              <td className={styles.rest} />
            </tr>
          ))}
          <Spacer rows={rows.length - until} span={columns.length + 1} />
        </tbody>
      </table>
    </section>
  )
}

const NUMBERS: ReadonlySet<string> = new Set(['LONG', 'DOUBLE', 'BIG_DECIMAL'])

function Spacer({ rows, span }: { readonly rows: number; readonly span: number }) {
  if (rows <= 0) return null
  return (
    <tr className={styles.spacer} style={{ height: rows * ROW_HEIGHT }}>
      <td colSpan={span} />
    </tr>
  )
}

/** Wide enough for what is seen first, within bounds. */
function widthsOf(
  columns: readonly ResultColumn[],
  rows: ReadonlyArray<readonly string[]>,
): number[] {
  return columns.map(({ name }, at) => {
    const longest = rows.reduce((most, row) => Math.max(most, row[at].length), name.length)
    return Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, longest + 1))
  })
}

function useSeen(place: { readonly current: HTMLElement | null }, count: number) {
  const [view, setView] = useState({ top: 0, height: 600 })
  useEffect(() => {
    const box = place.current
    if (box === null) return undefined
    const look = () => setView({ top: box.scrollTop, height: box.clientHeight })
    const observer = new ResizeObserver(look)
    observer.observe(box)
    box.addEventListener('scroll', look, { passive: true })
    return () => {
      observer.disconnect()
      box.removeEventListener('scroll', look)
    }
  }, [place])
  const from = Math.min(count, Math.max(0, Math.floor(view.top / ROW_HEIGHT) - AROUND))
  const until = Math.min(count, Math.ceil((view.top + view.height) / ROW_HEIGHT) + AROUND)
  return { from, until: Math.max(from, until) }
}
