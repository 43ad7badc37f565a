import { call } from '../../../api/client.ts'
import type { Schema } from '../../../api/paths.ts'
import { useRole } from '../../../api/session.ts'
import { useAct } from '../../../api/use-act.ts'
import { invalidate, useQuery } from '../../../api/use-query.ts'
import { useAddress } from '../../../app/place.ts'
import { Button } from '../../../ui/button.tsx'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { FormAlert } from '../../../ui/field.tsx'
import { Moment } from '../../../ui/time/moment.tsx'
import { showToast } from '../../../ui/toast.tsx'
import styles from '../connect.module.css'
import { type Connector, payloadKey } from '../connector-types.ts'
import { Failure } from '../failure.tsx'
import { Pages } from '../pages.tsx'

type Run = Schema<'Run'>

const PAGE = 20
const REFRESH_MS = 2_000
const RUNNING_REFRESH_MS = 500

/** The runs of an import, the newest first, with one that is under way to watch and call off. */
export function ImportRuns(props: { readonly connector: Connector; readonly isChanged: boolean }) {
  const { connector, isChanged } = props
  const { uid, isEnabled } = connector
  const isGuest = useRole() === 'GUEST'
  const { query } = useAddress()
  const start = Math.max(0, Number(query.get('from') ?? 0) || 0)
  const { data, running, error } = useRuns(uid, start)
  const act = useAct()
  const begin = () =>
    act.run(async () => {
      await call('post', '/api/connector/{uid}/run', { path: { uid } })
      invalidate(...payloadKey(uid))
    })
  const cancel = () =>
    act.run(async () => {
      await call('delete', '/api/connector/{uid}/run', { path: { uid } })
      invalidate(...payloadKey(uid))
      showToast('Run canceled. Nothing was stored.')
    })
  return (
    <section className={styles.part} aria-labelledby="runs-title">
      <div className={styles.head}>
        <h2 id="runs-title">Runs</h2>
        {!isGuest && running === undefined && (
          <Button
            kind="primary"
            isBusy={act.isBusy}
            disabled={!isEnabled || isChanged}
            onClick={() => void begin()}
          >
            Run now
          </Button>
        )}
        {!isGuest && running !== undefined && (
          <Button kind="danger" isBusy={act.isBusy} onClick={() => void cancel()}>
            Cancel run
          </Button>
        )}
      </div>
      <FormAlert>{act.error?.message ?? error?.message}</FormAlert>
      {isChanged && <p className={styles.soft}>Save first. A run uses the saved import.</p>}
      {!isEnabled && <p className={styles.soft}>This import is disabled.</p>}
      {running !== undefined && (
        <p className={styles.fine} role="status">
          Running: {running.rowsFetched.toLocaleString()} rows fetched.
        </p>
      )}
      {data?.run.length === 0 && <p className={styles.soft}>No runs yet.</p>}
      {data !== undefined && data.run.length > 0 && (
        <DataTable
          label="Import runs"
          isDense
          rows={data.run}
          keyOf={(one) => one.uid}
          columns={columns}
        />
      )}
      <Pages start={start} total={data?.totalCount ?? 0} size={PAGE} name="from" />
    </section>
  )
}

function useRuns(uid: string, start: number) {
  const { data, error } = useQuery(
    payloadKey(uid, 'run', start),
    (signal) =>
      call('get', '/api/connector/{uid}/run', {
        path: { uid },
        query: { start, limit: PAGE },
        signal,
      }),
    {
      keepPrevious: true,
      refreshMs: (known) => (runningOf(known) === undefined ? REFRESH_MS : RUNNING_REFRESH_MS),
    },
  )
  const running = runningOf(data)
  return { data, running, error }
}

const runningOf = (data: { readonly run: readonly Run[] } | undefined) =>
  data?.run.find(({ status }) => status === 'RUNNING')

const columns: ReadonlyArray<Column<Run>> = [
  { id: 'start', label: 'Started', show: ({ start }) => <Moment time={start} /> },
  { id: 'outcome', label: 'Result', show: (run) => <Outcome of={run} /> },
  {
    id: 'rows',
    label: 'Rows',
    show: ({ rowsFetched, rowsSkipped }) => (
      <span>
        {rowsFetched.toLocaleString()}
        {rowsSkipped > 0 && (
          <span className={styles.beside}>{rowsSkipped.toLocaleString()} unchanged</span>
        )}
      </span>
    ),
  },
  {
    id: 'took',
    label: 'Duration',
    isNumber: true,
    show: ({ start, end }) => (end === null ? '' : `${((end - start) / 1_000).toFixed(1)} s`),
  },
]

function Outcome({ of: { status, samples, message } }: { readonly of: Run }) {
  if (status === 'RUNNING') return <>Running</>
  if (status === 'DONE') {
    return <>{samples === 1 ? '1 sample stored' : `${samples.toLocaleString()} samples stored`}</>
  }
  return <Failure message={message} />
}
