import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react'
import styles from './long-heading.module.css'

interface LongHeadingProps {
  /** All that it says. */
  readonly text: string
  /** How it is shown; the text itself by default. */
  readonly children?: ReactNode
}

/** The heading of a page, of any length: two lines of it, and all of it on demand. */
export function LongHeading({ text, children }: LongHeadingProps) {
  const id = useId()
  const heading = useRef<HTMLHeadingElement>(null)
  const [isOpen, setOpen] = useState(false)
  // Another text begins cut.
  const [before, setBefore] = useState(text)
  if (before !== text) {
    setBefore(text)
    setOpen(false)
  }
  const isLong = useIsLong(heading, text, isOpen)
  return (
    <>
      <h1
        ref={heading}
        id={id}
        className={styles.heading}
        data-cut={!isOpen || undefined}
        title={isLong && !isOpen ? text : undefined}
      >
        {children ?? text}
      </h1>
      {isLong && (
        <button
          type="button"
          className={styles.more}
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? 'Show less' : 'Show full name'}
        </button>
      )}
    </>
  )
}

/** Whether a heading has more than its lines hold, at whatever width it is shown. */
function useIsLong(
  heading: { readonly current: HTMLElement | null },
  text: string,
  isOpen: boolean,
): boolean {
  const [isLong, setLong] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new text is measured again.
  useLayoutEffect(() => {
    const element = heading.current
    // While all of it is in sight it stays as long as it was.
    if (element === null || isOpen) return undefined
    const measure = () => setLong(element.scrollHeight > element.clientHeight + 1)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [heading, text, isOpen])
  return isLong
}
