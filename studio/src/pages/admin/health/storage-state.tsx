import { call } from '../../../api/client.ts'
import type { Schema } from '../../../api/paths.ts'
import { useAct } from '../../../api/use-act.ts'
import { invalidate } from '../../../api/use-query.ts'
import { Button } from '../../../ui/button.tsx'
import { DataTable } from '../../../ui/data-table.tsx'
import { FormAlert } from '../../../ui/field.tsx'
import { bytesText, countText } from '../../../ui/figure-text.ts'
import { Moment } from '../../../ui/time/moment.tsx'
import { showToast } from '../../../ui/toast.tsx'
import styles from '../section.module.css'

/** What is stored, when it was last checked, and what is damaged. */
export function StorageState({ storage }: { readonly storage: Schema<'Storage'> }) {
  const { sizes, scrub } = storage
  const act = useAct()
  const check = () =>
    act.run(async () => {
      await call('post', '/api/storage/scrub')
      invalidate('storage')
      showToast('Check started. All stored data is read and verified.')
    })
  return (
    <>
      <FormAlert>{act.error?.message}</FormAlert>
      <div className={styles.bar}>
        <p>
          <SizeWords sizes={sizes} /> <ScrubWords scrub={scrub} />
        </p>
        <Button isBusy={act.isBusy} onClick={() => void check()}>
          Check storage
        </Button>
      </div>
      {scrub.damaged.length > 0 && (
        <DataTable
          label="Known damage"
          rows={scrub.damaged.map((damage, at) => ({ ...damage, at }))}
          keyOf={({ at }) => String(at)}
          columns={[
            { id: 'part', label: 'Part', show: ({ part }) => part },
            { id: 'what', label: 'Damage', show: ({ what }) => what },
          ]}
        />
      )}
    </>
  )
}

function SizeWords({ sizes }: { readonly sizes: Schema<'Storage'>['sizes'] }) {
  const { samples, catalog, quarantine } = sizes
  const files = sizes.files === null ? 'not counted yet' : bytesText(sizes.files)
  if (samples === null || catalog === null || quarantine === null) {
    return <>Data is stored in a cluster, which reports its own sizes. Files {files}.</>
  }
  return (
    <>
      Samples {bytesText(samples)}, records {bytesText(catalog)}, files {files}, quarantine{' '}
      {bytesText(quarantine)}.
    </>
  )
}

function ScrubWords({
  scrub: { running, time, checked },
}: {
  readonly scrub: Schema<'Storage'>['scrub']
}) {
  if (running !== null) return <>Check in progress: {bytesText(running.bytes)} read.</>
  if (time === null) return <>Not checked yet. A check runs every week.</>
  return (
    <>
      Last checked <Moment time={time} />
      {checked !== null && `, ${countText(checked.items)} items`}.
    </>
  )
}
