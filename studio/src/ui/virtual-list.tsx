import {
  type HTMLAttributes,
  type LiHTMLAttributes,
  type ReactNode,
  useEffect,
  useRef,
  useState,
} from 'react'
import { classes } from './classes.ts'
import styles from './virtual-list.module.css'

interface VirtualListProps {
  /** What the list is of, for screen readers. */
  readonly label: string
  readonly count: number
  /** The height of every row, in pixels. */
  readonly rowHeight: number
  readonly renderRow: (index: number) => ReactNode
  readonly keyOf?: (index: number) => string | number
  /** Called with the visible rows, for lists that load page by page. */
  readonly onRange?: (range: { readonly from: number; readonly until: number }) => void
  /** A row that is brought into sight; the same row once more when this is another object. */
  readonly revealed?: { readonly index: number }
  readonly className?: string
  /** More for the list itself, such as the role of a tree. */
  readonly listProps?: HTMLAttributes<HTMLUListElement>
  /** More for each row. */
  readonly rowProps?: (index: number) => LiHTMLAttributes<HTMLLIElement>
}

/** Rows above and below what is seen, so that scrolling shows no gaps. */
const AROUND = 8

/** Browsers cut off elements that are longer; rows beyond are reached by search, not by scrolling. */
const HEIGHT_MAX = 16_000_000

/** A list of any length: only the rows that are seen are in the page. Its box needs a height from outside. */
export function VirtualList(props: VirtualListProps) {
  const { label, count, rowHeight, renderRow, keyOf, onRange, revealed, className } = props
  const { listProps, rowProps } = props
  const ref = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 0 })
  useEffect(() => {
    const box = ref.current
    if (box === null) return undefined
    const look = () => setView({ top: box.scrollTop, height: box.clientHeight })
    const observer = new ResizeObserver(look)
    observer.observe(box)
    box.addEventListener('scroll', look, { passive: true })
    look()
    return () => {
      observer.disconnect()
      box.removeEventListener('scroll', look)
    }
  }, [])
  useEffect(() => {
    const box = ref.current
    if (box === null || revealed === undefined) return
    const top = revealed.index * rowHeight
    if (top < box.scrollTop) box.scrollTop = top
    else if (top + rowHeight > box.scrollTop + box.clientHeight)
      box.scrollTop = top + rowHeight - box.clientHeight
  }, [revealed, rowHeight])
  const from = Math.max(0, Math.floor(view.top / rowHeight) - AROUND)
  const until = Math.min(count, Math.ceil((view.top + view.height) / rowHeight) + AROUND)
  useEffect(() => onRange?.({ from, until }), [from, until, onRange])
  const shown = Array.from({ length: Math.max(0, until - from) }, (_, at) => from + at)
  const height = Math.min(count * rowHeight, HEIGHT_MAX)
  return (
    <div ref={ref} className={classes(styles.list, className)}>
      <ul className={styles.all} style={{ height }} aria-label={label} {...listProps}>
        {shown.map((index) => (
          <li
            key={keyOf?.(index) ?? index}
            className={styles.row}
            style={{ top: index * rowHeight, height: rowHeight }}
            aria-setsize={count}
            aria-posinset={index + 1}
            {...rowProps?.(index)}
          >
            {renderRow(index)}
          </li>
        ))}
      </ul>
    </div>
  )
}
