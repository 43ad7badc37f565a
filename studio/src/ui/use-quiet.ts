import { useEffect, useState } from 'react'

/** As long as nobody types two letters of a word within. */
const QUIET_MS = 250

/** A text as it stood when it was last left alone for a moment: what is asked for while somebody types. */
export function useQuiet(text: string): string {
  const [quiet, setQuiet] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setQuiet(text), QUIET_MS)
    return () => clearTimeout(timer)
  }, [text])
  return quiet
}
