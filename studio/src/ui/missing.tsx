import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import styles from './missing.module.css'

/** What is known of something that was asked for. */
interface Asked {
  readonly data: unknown
  readonly error: { readonly message: string } | undefined
  reload(): void
}

/** Why choices are missing, with a way to ask again; undefined when they are there, or may still come. */
export function missingOf(what: string, { data, error, reload }: Asked): ReactNode | undefined {
  if (data !== undefined || error === undefined) return undefined
  return (
    <span role="alert" className={styles.missing}>
      Cannot load {what}: {error.message} <Button onClick={reload}>Retry</Button>
    </span>
  )
}
