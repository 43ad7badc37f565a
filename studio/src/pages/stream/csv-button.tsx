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
      save(await fetchParts({ signal: running.current.signal, onRows: setRows }), name)
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

function save(parts: string[], name: string): void {
  const address = URL.createObjectURL(new Blob(parts, { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}
