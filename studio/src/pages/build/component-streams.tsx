import { call } from '../../api/client.ts'
import type { Schema } from '../../api/paths.ts'
import type { RecordKinds } from '../../api/records.ts'
import { useRole } from '../../api/session.ts'
import { useQuery } from '../../api/use-query.ts'
import { Link } from '../../app/link.tsx'
import { navigate, useAddress } from '../../app/place.ts'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import styles from './build.module.css'
import { shownName } from './form.ts'

type Stream = Schema<'Stream'>

const PAGE = 100

const KIND_WORDS: Readonly<Record<string, string>> = {
  rdm_stream: 'random',
  intvl_stream: 'interval',
  point_stream: 'point',
}

/** The streams of a component, page by page, each with its editor. */
export function ComponentStreams({ record }: { readonly record: RecordKinds['component'] }) {
  const isReader = useRole() === 'GUEST'
  const { query, change } = useAddress()
  const start = Math.max(0, Number(query.get('start') ?? 0) || 0)
  const { data, error } = useQuery(
    ['stream', record.uid, start],
    (signal) =>
      call('get', '/api/component/{componentUid}/stream', {
        path: { componentUid: record.uid },
        query: { start, limit: PAGE },
        signal,
      }),
    { keepPrevious: true },
  )
  const base = `/build/component/${record.uid}/stream`
  const make = isReader ? undefined : (
    <Button icon="plus" onClick={() => navigate(`${base}/new`)}>
      New stream
    </Button>
  )
  const total = data?.totalCount ?? 0
  const go = (to: number) => change({ start: to === 0 ? undefined : String(to) }, { step: true })
  return (
    <div className={styles.part}>
      <div className={styles.tools}>
        <h2>Streams</h2>
        {make}
      </div>
      {error !== undefined && <Empty text={error.message} />}
      {total === 0 && data !== undefined && (
        <Empty text="No streams. A stream holds one quantity, such as a temperature or a switch state. A sample with a new stream ID creates a stream." />
      )}
      {data !== undefined && total > 0 && (
        <DataTable<Stream>
          label="Streams"
          columns={columnsOf(base)}
          rows={data.stream}
          keyOf={({ uid }) => uid}
        />
      )}
      {total > PAGE && (
        <div className={styles.pages}>
          <Button disabled={start === 0} onClick={() => go(Math.max(0, start - PAGE))}>
            Previous
          </Button>
          <span>
            {start + 1} to {Math.min(total, start + PAGE)} of {total.toLocaleString()}
          </span>
          <Button disabled={start + PAGE >= total} onClick={() => go(start + PAGE)}>
            Next
          </Button>
        </div>
      )}
    </div>
  )
}

const short = (text: string) => <span className={styles.short}>{text}</span>

const columnsOf = (base: string): ReadonlyArray<Column<Stream>> => [
  {
    id: 'name',
    label: 'Name',
    show: (stream) => (
      <Link className={styles.name} to={`${base}/${stream.uid}`}>
        {shownName(stream)}
      </Link>
    ),
  },
  { id: 'id', label: 'ID', show: ({ id }) => <span className={styles.name}>{id}</span> },
  {
    id: 'kind',
    label: 'Kind',
    show: ({ streamType }) => short(KIND_WORDS[streamType] ?? streamType),
  },
  { id: 'values', label: 'Value type', show: ({ valueType }) => short(valueType || 'none yet') },
]
