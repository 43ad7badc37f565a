import { useState } from 'react'
import { call } from '../../../api/client.ts'
import type { Schema } from '../../../api/paths.ts'
import { useAct } from '../../../api/use-act.ts'
import { Button } from '../../../ui/button.tsx'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { FormAlert } from '../../../ui/field.tsx'
import { Moment } from '../../../ui/time/moment.tsx'
import styles from '../../connect/connect.module.css'
import { type Alert, fieldsOf } from './alert-words.ts'

type Preview = Schema<'AlertPreview'>
type Previewed = Preview['streams'][number]

const columns: ReadonlyArray<Column<Previewed>> = [
  {
    id: 'stream',
    label: 'Stream',
    show: ({ componentId, streamId }) => (
      <span className={styles.name}>
        {componentId || 'Component'} / {streamId || 'stream'}
      </span>
    ),
  },
  {
    id: 'samples',
    label: 'Samples',
    isNumber: true,
    show: ({ sampleCount }) => sampleCount.toLocaleString(),
  },
  {
    id: 'count',
    label: 'Fired',
    isNumber: true,
    show: ({ firingCount }) => firingCount.toLocaleString(),
  },
  {
    id: 'last',
    label: 'First time',
    show: ({ firings, error }) => {
      if (error !== '') return error
      return firings.length === 0 ? '–' : <Moment time={firings[0].from} />
    },
  },
]

function summaryOf({ streams, streamCount, isCut }: Preview): string {
  const count = streams.reduce((sum, { firingCount }) => sum + firingCount, 0)
  const times = count === 1 ? 'once' : `${count.toLocaleString()} times`
  const of = streamCount === 1 ? '1 stream' : `${streamCount.toLocaleString()} streams`
  const cut = isCut ? ' Some streams or samples were left out.' : ''
  return `Would have fired ${times} on ${of} in the last 7 days.${cut}`
}

/** When the alert of the form would have fired over the last week. */
export function AlertPreview({ value }: { readonly value: Alert }) {
  const [found, setFound] = useState<{ readonly preview: Preview; readonly of: Alert }>()
  const act = useAct()
  const run = () =>
    act.run(async () => {
      const body = { alert: fieldsOf(value) }
      const { preview } = await call('post', '/api/alert/preview', { body })
      setFound({ preview, of: value })
    })
  const isOld = found !== undefined && found.of !== value
  return (
    <section className={styles.part} aria-label="Preview">
      <div className={styles.row}>
        <Button isBusy={act.isBusy} onClick={() => void run()}>
          Preview
        </Button>
        <span className={styles.soft} role="status">
          {act.isBusy && 'Reading the last 7 days …'}
          {!act.isBusy && isOld && 'The form has changed since this preview.'}
          {!act.isBusy && found === undefined && 'Shows when this alert would have fired.'}
        </span>
      </div>
      <FormAlert>{act.error?.message}</FormAlert>
      {found !== undefined && <p role="status">{summaryOf(found.preview)}</p>}
      {found !== undefined && found.preview.streams.length > 0 && (
        <DataTable
          label="Previewed streams"
          isDense
          rows={found.preview.streams}
          keyOf={({ streamUid }) => streamUid}
          columns={columns}
        />
      )}
    </section>
  )
}
