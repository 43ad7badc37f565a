import { useEffect, useRef } from 'react'
import { readFragment, writeFragment } from '../../app/place.ts'
import type { Draft } from '../../state/draft.ts'

/** Browsers take addresses of two million characters and more; a longer text is not in them. */
const SHARED_LENGTH_MAX = 20_000
/** The address follows when typing rests: browsers refuse changes that come by the hundred. */
const REST_MS = 300

/**
 * The text of a query in the address, behind the `#`: a link leads a colleague to the text as it is, and no server
 * reads it on the way. A text in the address of the page that opens takes the place of the draft.
 */
export function useSharedText(
  sql: string,
  saved: string,
  draft: Pick<Draft<{ readonly sql: string }>, 'set'>,
): void {
  const first = useRef({ draft, sql })
  useEffect(() => {
    const shared = readFragment()
    if (shared !== '' && shared !== first.current.sql) first.current.draft.set({ sql: shared })
  }, [])
  useEffect(() => {
    const timer = setTimeout(() => {
      writeFragment(sql === saved || sql.length > SHARED_LENGTH_MAX ? '' : sql)
    }, REST_MS)
    return () => clearTimeout(timer)
  }, [sql, saved])
}
