import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { classes } from './classes.ts'
import styles from './data-table.module.css'

/** A column of a table. */
export interface Column<T> {
  readonly id: string
  /** Its head; a blank one is for buttons and gets a name for screen readers. */
  readonly label: string
  readonly isNumber?: boolean
  readonly show: (row: T) => ReactNode
}

interface DataTableProps<T> {
  /** What the table is of, for screen readers. */
  readonly label: string
  readonly columns: ReadonlyArray<Column<T>>
  readonly rows: readonly T[]
  readonly keyOf: (row: T) => string
  /** Rows of one line, for tables beside something else. */
  readonly isDense?: boolean
}

/** A table of some hundred rows at most; longer ones are paged, or a VirtualList. */
export function DataTable<T>({ label, columns, rows, keyOf, isDense = false }: DataTableProps<T>) {
  const place = useRef<HTMLElement>(null)
  const isWider = useIsWider(place)
  return (
    <>
      {isWider && (
        <p className={styles.hint} aria-hidden="true">
          More columns: scroll right →
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section ref={place} className={styles.scroll} aria-label={label} tabIndex={0}>
        <table className={classes(styles.table, isDense && styles.dense)}>
          <thead>
            <tr>
              {columns.map(({ id, label: head, isNumber }) => (
                <th key={id} scope="col" className={isNumber === true ? styles.number : undefined}>
                  {head === '' ? <span className="visually-hidden">Actions</span> : head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={keyOf(row)}>
                {columns.map(({ id, label: head, show, isNumber }) => (
                  <td
                    key={id}
                    data-head={head === '' ? undefined : head}
                    className={classes(
                      isNumber === true && styles.number,
                      head === '' && styles.acts,
                    )}
                  >
                    {show(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  )
}

/** Whether what is in a place is wider than it, and so has to be scrolled. */
function useIsWider(place: RefObject<HTMLElement | null>): boolean {
  const [isWider, setIsWider] = useState(false)
  useEffect(() => {
    const element = place.current
    if (element === null) return undefined
    const look = () => setIsWider(element.scrollWidth > element.clientWidth + 1)
    const observer = new ResizeObserver(look)
    observer.observe(element)
    for (const child of element.children) observer.observe(child)
    return () => observer.disconnect()
  }, [place])
  return isWider
}
