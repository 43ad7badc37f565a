import { call } from '../../../api/client.ts'
import type { Schema } from '../../../api/paths.ts'
import { useAct } from '../../../api/use-act.ts'
import { invalidate } from '../../../api/use-query.ts'
import { Button } from '../../../ui/button.tsx'
import { DataTable } from '../../../ui/data-table.tsx'
import { FormAlert } from '../../../ui/field.tsx'
import { bytesText, countText } from '../../../ui/figure-text.ts'
import { Moment } from '../../../ui/time/moment.tsx'
import { tell } from '../../../ui/toast.tsx'
import styles from '../section.module.css'

/** What is stored, when it was last checked, and what is damaged. */
export function StorageState({ storage }: { readonly storage: Schema<'Storage'> }) {
  const { sizes, scrub } = storage
  const act = useAct()
  const check = () =>
    act.run(async () => {
      await call('post', '/api/storage/scrub')
      invalidate('storage')
      tell('Everything that is stored is being read and checked.')
    })
  return (
    <>
      <FormAlert>{act.error?.message}</FormAlert>
      <div className={styles.bar}>
        <p>
          <SizeWords sizes={sizes} /> <ScrubWords scrub={scrub} />
        </p>
        <Button isBusy={act.isBusy} onClick={() => void check()}>
          Check all of it
        </Button>
      </div>
      {scrub.damaged.length > 0 && (
        <DataTable
          label="Known damages"
          rows={scrub.damaged.map((damage, at) => ({ ...damage, at }))}
          keyOf={({ at }) => String(at)}
          columns={[
            { id: 'part', label: 'Part', show: ({ part }) => part },
            { id: 'what', label: 'What', show: ({ what }) => what },
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
    return <>Kept in a cluster of Cassandra, which tells its sizes itself; files {files}.</>
  }
  return (
    <>
      Samples {bytesText(samples)}, records {bytesText(catalog)}, files {files}, set aside{' '}
      {bytesText(quarantine)}.
    </>
  )
}

function ScrubWords({
  scrub: { running, time, checked },
}: {
  readonly scrub: Schema<'Storage'>['scrub']
}) {
  if (running !== null) return <>Being checked: {bytesText(running.bytes)} read.</>
  if (time === null) return <>Not checked yet; that happens by itself once a week.</>
  return (
    <>
      Last checked <Moment time={time} />
      {checked !== null && `, ${countText(checked.items)} items`}.
    </>
  )
}
