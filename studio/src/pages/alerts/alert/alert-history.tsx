import { useState } from 'react'
import { call } from '../../../api/client.ts'
import { recordKey } from '../../../api/records.ts'
import { useQuery } from '../../../api/use-query.ts'
import { Link } from '../../../app/link.tsx'
import { streamPath } from '../../../app/paths.ts'
import { Button } from '../../../ui/button.tsx'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { FormAlert } from '../../../ui/field.tsx'
import { Age } from '../../../ui/time/age.tsx'
import { Moment } from '../../../ui/time/moment.tsx'
import styles from '../../connect/connect.module.css'
import { type AlertEvent, type AlertState, eventWords } from './alert-words.ts'

const REFRESH_MS = 5_000
const SHOWN_MAX = 100
/** Firing streams that are shown at first: the form is below them. */
const FIRST_SHOWN = 10

interface OfStream {
  readonly componentUid: string
  readonly componentId: string
  readonly streamUid: string
  readonly streamId: string
}

const streamColumn = {
  id: 'stream',
  label: 'Stream',
  show: ({ componentUid, componentId, streamUid, streamId }: OfStream) => (
    <Link className={styles.name} to={streamPath(componentUid, streamUid)}>
      {componentId || 'Component'} / {streamId || 'stream'}
    </Link>
  ),
}

const valueColumn = {
  id: 'value',
  label: 'Value',
  isNumber: true,
  show: ({ value }: { readonly value: string | null }) => value ?? '–',
}

const stateColumns: ReadonlyArray<Column<AlertState>> = [
  streamColumn,
  { id: 'since', label: 'Since', show: ({ startedMs }) => <Age time={startedMs} /> },
  valueColumn,
  {
    id: 'acknowledged',
    label: 'Acknowledged',
    show: ({ acknowledged }) => (acknowledged === null ? 'No' : `By ${acknowledged.by || '–'}`),
  },
]

const eventColumns: ReadonlyArray<Column<AlertEvent>> = [
  { id: 'time', label: 'Time', show: ({ time }) => <Moment time={time} /> },
  { id: 'change', label: 'Change', show: (one) => eventWords(one) },
  streamColumn,
  valueColumn,
]

/** The streams on which an alert fires. */
export function FiringStreams({ uid }: { readonly uid: string }) {
  const [isWhole, setIsWhole] = useState(false)
  const { data, error } = useQuery(
    recordKey('alert', uid, 'states'),
    (signal) =>
      call('get', '/api/alert/{uid}/state', {
        path: { uid },
        query: { limit: SHOWN_MAX },
        signal,
      }),
    { keepPrevious: true, refreshMs: REFRESH_MS },
  )
  const rows = data?.state ?? []
  return (
    <section className={styles.part} aria-labelledby="firing-title">
      <h2 id="firing-title">Firing{rows.length > 0 ? ` (${data?.totalCount})` : ''}</h2>
      <FormAlert>{error?.message}</FormAlert>
      {data !== undefined && rows.length === 0 && (
        <p className={styles.soft}>The alert does not fire on any stream.</p>
      )}
      {rows.length > 0 && (
        <DataTable
          label="Firing streams"
          isDense
          rows={isWhole ? rows : rows.slice(0, FIRST_SHOWN)}
          keyOf={({ streamUid }) => streamUid}
          columns={stateColumns}
        />
      )}
      {!isWhole && rows.length > FIRST_SHOWN && (
        <div className={styles.row}>
          <Button onClick={() => setIsWhole(true)}>Show more</Button>
        </div>
      )}
    </section>
  )
}

/** The changes of an alert, the newest first. */
export function AlertEvents({ uid }: { readonly uid: string }) {
  const { data, error } = useQuery(
    recordKey('alert', uid, 'events'),
    (signal) =>
      call('get', '/api/alert/{uid}/event', {
        path: { uid },
        query: { limit: SHOWN_MAX },
        signal,
      }),
    { keepPrevious: true, refreshMs: REFRESH_MS },
  )
  const rows = data?.event ?? []
  return (
    <section className={styles.part} aria-labelledby="events-title">
      <h2 id="events-title">Events</h2>
      <FormAlert>{error?.message}</FormAlert>
      {data !== undefined && rows.length === 0 && (
        <p className={styles.soft}>No events yet. Changes of the state appear here.</p>
      )}
      {rows.length > 0 && (
        <DataTable
          label="List of events"
          isDense
          rows={rows}
          keyOf={(one) => one.uid}
          columns={eventColumns}
        />
      )}
    </section>
  )
}
