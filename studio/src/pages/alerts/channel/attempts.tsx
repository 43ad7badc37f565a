import { call } from '../../../api/client.ts'
import { recordKey } from '../../../api/records.ts'
import { useQuery } from '../../../api/use-query.ts'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { FormAlert } from '../../../ui/field.tsx'
import { Moment } from '../../../ui/time/moment.tsx'
import styles from '../../connect/connect.module.css'
import { type ChannelAttempt, resultOf } from './channel-words.ts'

const REFRESH_MS = 5_000
const SHOWN_MAX = 60

const STATES = { FIRING: 'Firing', OK: 'Resolved', SUMMARY: 'Summary' } as const

const columns: ReadonlyArray<Column<ChannelAttempt>> = [
  { id: 'time', label: 'Time', show: ({ time }) => <Moment time={time} /> },
  {
    id: 'alert',
    label: 'Alert',
    show: ({ alertName, state }) => (
      <span className={styles.name}>{[alertName, STATES[state]].filter(Boolean).join(': ')}</span>
    ),
  },
  { id: 'tries', label: 'Try', isNumber: true, show: ({ tries }) => String(tries) },
  {
    id: 'result',
    label: 'Result',
    show: (one) => <span className={styles.name}>{resultOf(one)}</span>,
  },
  {
    id: 'next',
    label: 'Next try',
    show: ({ nextTime }) => (nextTime === null ? '–' : <Moment time={nextTime} />),
  },
]

/** What a channel was sent lately. */
export function Attempts({ uid }: { readonly uid: string }) {
  const { data, error } = useQuery(
    recordKey('channel', uid, 'attempts'),
    (signal) =>
      call('get', '/api/channel/{uid}/attempt', {
        path: { uid },
        query: { limit: SHOWN_MAX },
        signal,
      }),
    { keepPrevious: true, refreshMs: REFRESH_MS },
  )
  const rows = data?.attempt ?? []
  return (
    <section className={styles.part} aria-labelledby="attempts-title">
      <h2 id="attempts-title">Attempts</h2>
      <FormAlert>{error?.message}</FormAlert>
      {data !== undefined && rows.length === 0 && (
        <p className={styles.soft}>
          No attempts yet. Messages of alerts appear here. Test messages are not listed.
        </p>
      )}
      {rows.length > 0 && (
        <DataTable
          label="List of attempts"
          isDense
          rows={rows}
          keyOf={({ idempotencyKey, tries, reason }) => `${idempotencyKey} ${tries} ${reason}`}
          columns={columns}
        />
      )}
    </section>
  )
}
