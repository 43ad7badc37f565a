import { useRef, useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { request } from '../../api/client.ts'
import type { TimeRange } from '../../chart/time-range.ts'
import type { FoundStream } from '../../state/use-stream.ts'
import { Button } from '../../ui/button.tsx'
import { tell } from '../../ui/toast.tsx'
import { csvName, isoTimes, withIsoTimes } from './csv-text.ts'

/** Rows of a file at most: what a spreadsheet can open. */
const ROWS_MAX = 1_000_000
const ROWS_PER_CALL = 1_000

interface CsvButtonProps {
  readonly found: FoundStream
  readonly range: TimeRange
  /** Whose clocks the times are told by, beside the epoch ms. */
  readonly zone: string
}

/** Downloads the samples of a range as CSV, the latest first; shows how far it is, and can be stopped. */
export function CsvButton({ found, range, zone }: CsvButtonProps) {
  const [rows, setRows] = useState<number>()
  const running = useRef<AbortController>(undefined)
  const start = async () => {
    if (running.current !== undefined) return running.current.abort()
    running.current = new AbortController()
    setRows(0)
    try {
      const parts = await fetchCsv(found, range, {
        signal: running.current.signal,
        onRows: setRows,
      })
      const isoOf = isoTimes(zone)
      const rows = parts.map((part, at) => withIsoTimes(part, { isoOf, hasHead: at === 0 }))
      save(rows, csvName(found, range, zone))
    } catch (thrown) {
      if (!running.current.signal.aborted) tell(asApiError(thrown).message)
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

interface Progress {
  readonly signal: AbortSignal
  readonly onRows: (rows: number) => void
}

async function fetchCsv(
  { compId, streamId }: FoundStream,
  { from, until }: TimeRange,
  { signal, onRows }: Progress,
): Promise<string[]> {
  const path = `/api/comp/${encodeURIComponent(compId)}/stream/${encodeURIComponent(streamId)}/feed`
  const parts: string[] = []
  let next: string | undefined = `${path}?format=csv&sd=${from}&ed=${until}&limit=${ROWS_PER_CALL}`
  for (let rows = 0; next !== undefined && rows < ROWS_MAX; rows += ROWS_PER_CALL) {
    const answer: Response = await request(next, { signal })
    const text = await answer.text()
    // Every answer begins with the line of names; the file has it once.
    parts.push(parts.length === 0 ? text : text.slice(text.indexOf('\n') + 1))
    onRows(rows + ROWS_PER_CALL)
    next = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]
  }
  return parts
}

function save(parts: string[], name: string): void {
  const address = URL.createObjectURL(new Blob(parts, { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}
