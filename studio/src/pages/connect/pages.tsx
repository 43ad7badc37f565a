import { useAddress } from '../../app/place.ts'
import { Button } from '../../ui/button.tsx'
import styles from './connect.module.css'

interface PagesProps {
  readonly start: number
  readonly total: number
  readonly size: number
  /** The parameter of the address that holds the start. */
  readonly name: string
}

/** The steps through a list; nothing where all of it is in sight. */
export function Pages({ start, total, size, name }: PagesProps) {
  const { change } = useAddress()
  if (total <= size && start === 0) return null
  const go = (to: number) => change({ [name]: to <= 0 ? undefined : String(to) }, { step: true })
  return (
    <div className={styles.row}>
      <Button disabled={start === 0} onClick={() => go(start - size)}>
        Previous
      </Button>
      <span className={styles.soft}>
        {start + 1} to {Math.min(total, start + size)} of {total.toLocaleString()}
      </span>
      <Button disabled={start + size >= total} onClick={() => go(start + size)}>
        Next
      </Button>
    </div>
  )
}
