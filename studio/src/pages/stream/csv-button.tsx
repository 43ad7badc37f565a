import { useRef, useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { Button } from '../../ui/button.tsx'
import { showToast } from '../../ui/toast.tsx'

/** The progress of a download, and its cancellation. */
export interface Progress {
  readonly signal: AbortSignal
  readonly onRows: (rows: number) => void
}

interface CsvButtonProps {
  /** How the file is called. */
  readonly name: string
  /** Fetches all of the file, in parts. */
  readonly fetchParts: (progress: Progress) => Promise<string[]>
}

/** Downloads rows as CSV; shows how far it is, and can be stopped. */
export function CsvButton({ name, fetchParts }: CsvButtonProps) {
  const [rows, setRows] = useState<number>()
  const running = useRef<AbortController>(undefined)
  const start = async () => {
    if (running.current !== undefined) return running.current.abort()
    running.current = new AbortController()
    setRows(0)
    try {
      const parts = await fetchParts({ signal: running.current.signal, onRows: setRows })
      if (hasRows(parts)) save(parts, name)
      else showToast('This range has no rows. No file was made.')
    } catch (thrown) {
      if (!running.current.signal.aborted) showToast(asApiError(thrown).message)
    }
    running.current = undefined
    setRows(undefined)
  }
  return (
    <Button icon="download" onClick={start}>
      {rows === undefined ? 'CSV' : `Stop (${rows} rows)`}
    </Button>
  )
}

/** Whether something follows the line of names. */
function hasRows(parts: readonly string[]): boolean {
  return parts.some((part, at) => part.slice(at === 0 ? part.indexOf('\n') + 1 : 0) !== '')
}

function save(parts: string[], name: string): void {
  const address = URL.createObjectURL(new Blob(parts, { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}
