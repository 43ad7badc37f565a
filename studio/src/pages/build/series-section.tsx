import { useState } from 'react'
import { call } from '../../api/client.ts'
import type { Schema } from '../../api/paths.ts'
import { useAct } from '../../api/use-act.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { FormAlert } from '../../ui/field.tsx'
import { PairList } from '../../ui/pair-list.tsx'
import { showToast } from '../../ui/toast.tsx'
import styles from './build.module.css'

interface SeriesSectionProps {
  readonly componentUid: string
  readonly uid: string
  readonly series: NonNullable<Schema<'Stream'>['series']>
  readonly mayDetach: boolean
  readonly onDetached: (stream: Schema<'Stream'>) => void
}

/** The labels by which another protocol finds a stream, and taking them from it. */
export function SeriesSection(props: SeriesSectionProps) {
  const { componentUid, uid, series, mayDetach, onDetached } = props
  const [isAsking, setIsAsking] = useState(false)
  const act = useAct()
  const detach = () =>
    act.run(async () => {
      const address = '/api/component/{componentUid}/stream/{uid}/series'
      const { stream } = await call('delete', address, { path: { componentUid, uid } })
      setIsAsking(false)
      onDetached(stream)
      showToast('Series detached.')
    })
  return (
    <section className={styles.part} aria-labelledby="series-title">
      <h2 id="series-title">Series</h2>
      <p className={styles.note}>
        Another protocol finds the stream by its series, whatever its ID and labels are. The series
        cannot be changed.
      </p>
      <PairList label="Labels of the series" pairs={series} />
      {mayDetach && (
        <div>
          <Button kind="danger" onClick={() => setIsAsking(true)}>
            Detach …
          </Button>
        </div>
      )}
      {isAsking && (
        <Dialog title="Detach the series?" onClose={() => setIsAsking(false)}>
          <p>
            The stream keeps its samples and labels. For the next point of the series, the address
            rules choose a component and a stream ID again. If there is no such stream, it is
            created.
          </p>
          <FormAlert>{act.error?.message}</FormAlert>
          <DialogActions>
            <Button onClick={() => setIsAsking(false)}>Cancel</Button>
            <Button kind="danger" isBusy={act.isBusy} onClick={() => void detach()}>
              Detach
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </section>
  )
}
