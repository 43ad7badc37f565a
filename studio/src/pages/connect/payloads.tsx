import { useState } from 'react'
import { call } from '../../api/client.ts'
import { useRole } from '../../api/session.ts'
import { useQuery } from '../../api/use-query.ts'
import { useAddress } from '../../app/place.ts'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { FormAlert } from '../../ui/field.tsx'
import { Moment } from '../../ui/time/moment.tsx'
import styles from './connect.module.css'
import { type Connector, type Payload, payloadKey } from './connector-types.ts'
import { Failure } from './failure.tsx'
import { Pages } from './pages.tsx'
import { useRunAgain } from './use-run-again.ts'

const PAGE = 20
const REFRESH_MS = 2_000
const RUNNING_REFRESH_MS = 500

interface PayloadsProps {
  readonly connector: Connector
  /** Whether the page shows statements that are not saved. */
  readonly isChanged: boolean
}

/** The payloads of a connector, newest first, each with its result. */
export function Payloads({ connector: { uid }, isChanged }: PayloadsProps) {
  const isGuest = useRole() === 'GUEST'
  const { query, change } = useAddress()
  const start = Math.max(0, Number(query.get('from') ?? 0) || 0)
  const { data, error } = useQuery(
    payloadKey(uid, 'list', start),
    (signal) =>
      call('get', '/api/connector/{uid}/payload', {
        path: { uid },
        query: { start, limit: PAGE },
        signal,
      }),
    {
      keepPrevious: true,
      refreshMs: (known) =>
        known?.payload.some(({ status }) => status === 'RUNNING') ? RUNNING_REFRESH_MS : REFRESH_MS,
    },
  )
  const again = useRunAgain(uid)
  const [asked, setAsked] = useState<Payload>()
  const rows = data?.payload ?? []
  const failed = rows.filter(({ status }) => status === 'FAILED')
  const run = (payload: Payload) =>
    payload.status === 'DONE' ? setAsked(payload) : void again.run([payload])
  const show = (one: Payload) => change({ payload: one.uid }, { step: true })
  const chosen = query.get('payload') ?? ''
  const columns = columnsOf({ chosen, show, run: isGuest ? undefined : run, again })
  return (
    <section className={styles.part} aria-labelledby="payloads-title">
      <div className={styles.head}>
        <h2 id="payloads-title">Received</h2>
        {!isGuest && failed.length > 1 && (
          <Button isBusy={again.isBusy} onClick={() => void again.run(failed.toReversed())}>
            Retry failed ({failed.length})
          </Button>
        )}
      </div>
      <FormAlert>{again.error ?? error?.message}</FormAlert>
      {isChanged && failed.length > 0 && (
        <p className={styles.soft}>Save first. A rerun uses the saved SQL.</p>
      )}
      {data?.payload.length === 0 && (
        <p className={styles.soft}>No payloads yet. Requests to the URL appear here.</p>
      )}
      {rows.length > 0 && (
        <DataTable
          label="Received payloads"
          isDense
          rows={rows}
          keyOf={(one) => one.uid}
          columns={columns}
        />
      )}
      <Pages start={start} total={data?.totalCount ?? 0} size={PAGE} name="from" />
      {asked !== undefined && (
        <AskForce
          onClose={() => setAsked(undefined)}
          onRun={() => {
            setAsked(undefined)
            void again.run([asked], true)
          }}
        />
      )}
    </section>
  )
}

function AskForce({
  onRun,
  onClose,
}: {
  readonly onRun: () => void
  readonly onClose: () => void
}) {
  return (
    <Dialog title="Run again?" onClose={onClose}>
      <p>
        This payload was already processed. Running it again applies the saved SQL and overwrites
        samples with the same times. Other samples stay.
      </p>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" onClick={onRun}>
          Run again
        </Button>
      </DialogActions>
    </Dialog>
  )
}

interface ColumnActs {
  readonly chosen: string
  readonly show: (payload: Payload) => void
  readonly run: ((payload: Payload) => void) | undefined
  readonly again: ReturnType<typeof useRunAgain>
}

function columnsOf({ chosen, show, run, again }: ColumnActs): ReadonlyArray<Column<Payload>> {
  return [
    {
      id: 'time',
      label: 'Received',
      show: ({ time, method, size }) => (
        <span>
          <Moment time={time} />
          <span className={styles.beside}>
            {method}, {size.toLocaleString()} {size === 1 ? 'byte' : 'bytes'}
          </span>
        </span>
      ),
    },
    { id: 'outcome', label: 'Result', show: (one) => <Outcome of={one} /> },
    {
      id: 'acts',
      label: '',
      show: (one) => (
        <span className={styles.acts}>
          <Button kind="plain" aria-pressed={one.uid === chosen} onClick={() => show(one)}>
            Show
          </Button>
          {run !== undefined && one.status !== 'RUNNING' && (
            <Button kind="plain" isBusy={again.isBusy} onClick={() => run(one)}>
              Run again
            </Button>
          )}
        </span>
      ),
    },
  ]
}

function Outcome({ of: { status, samples, message } }: { readonly of: Payload }) {
  if (status === 'RUNNING') return <>Running</>
  if (status === 'FAILED') {
    return <Failure message={message} />
  }
  return <>{samples === 1 ? '1 sample stored' : `${samples.toLocaleString()} samples stored`}</>
}
