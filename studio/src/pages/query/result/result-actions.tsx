import { useRef, useState } from 'react'
import { asApiError } from '../../../api/api-error.ts'
import { Button } from '../../../ui/button.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { csvOf, type GqlCall } from '../gql-answer.ts'
import styles from './result.module.css'

interface ResultActionsProps {
  /** The call whose rows are shown. */
  readonly call: Omit<GqlCall, 'signal'>
  /** What the file is called. */
  readonly title: string
  readonly isEmpty: boolean
  readonly isChart: boolean
  readonly onChart: (isChart: boolean) => void
}

/** Rows as a table or a chart, and all of them as a file. */
export function ResultActions({ call, title, isEmpty, isChart, onChart }: ResultActionsProps) {
  return (
    <div className={styles.actions}>
      <Button icon="table" aria-pressed={!isChart} onClick={() => onChart(false)}>
        Table
      </Button>
      <Button icon="chart" aria-pressed={isChart} onClick={() => onChart(true)}>
        Chart
      </Button>
      <CsvButton call={call} title={title} isEmpty={isEmpty} />
    </div>
  )
}

/** Runs the text once more, for all its rows; a second click stops that. */
function CsvButton({ call, title, isEmpty }: Omit<ResultActionsProps, 'isChart' | 'onChart'>) {
  const [isBusy, setIsBusy] = useState(false)
  const running = useRef<AbortController>(undefined)
  const start = async () => {
    if (running.current !== undefined) return running.current.abort()
    const own = new AbortController()
    running.current = own
    setIsBusy(true)
    try {
      const file = await csvOf({ ...call, signal: own.signal }, call.kind !== 'read')
      save(file, title)
      // The line of names is there all the same.
      if (isEmpty) showToast('The result has no rows. The file has only the names of the columns.')
    } catch (thrown) {
      if (!own.signal.aborted) showToast(asApiError(thrown).message)
    }
    running.current = undefined
    setIsBusy(false)
  }
  return (
    <Button icon={isBusy ? 'close' : 'download'} onClick={start}>
      {isBusy ? 'Stop the download' : 'CSV'}
    </Button>
  )
}

function save(file: Blob, title: string): void {
  const address = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = address
  link.download = `${title.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 80) || 'query'}.csv`
  link.click()
  URL.revokeObjectURL(address)
}
