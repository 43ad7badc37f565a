import { useState } from 'react'
import { call } from '../../../api/client.ts'
import { listRecords, type RecordKinds, recordKey } from '../../../api/records.ts'
import { useQuery } from '../../../api/use-query.ts'
import { missingOf } from '../../../ui/missing.tsx'
import { Select } from '../../../ui/select.tsx'
import styles from '../build.module.css'
import { type FieldsProps, shownName } from '../form.ts'
import type { StreamDraft } from '../stream-draft.ts'
import { AddressList } from './address-list.tsx'
import { FolderField } from './folder-field.tsx'
import { AboutFields, ZoneOf } from './shared-fields.tsx'
import { StreamDrafts } from './stream-drafts.tsx'
import { TextField } from './text-field.tsx'
import { WhatStops } from './what-stops.tsx'

type Component = RecordKinds['component']

/** The fields of a component; a new one has its streams with it. */
export function ComponentFields(props: FieldsProps<Component>) {
  const { value, set, errorOf, isNew } = props
  return (
    <>
      {isNew && <FromTemplate onChoose={set} />}
      <TextField of={props} field="name" label="Name" />
      <TextField of={props} field="id" label="ID" hint="Optional. Devices send it as compId" />
      <FolderField
        value={value.folder}
        error={errorOf('folder')}
        onChange={(folder) => set({ folder })}
      />
      <ZoneOf of={props} hint="Used for days and other periods" />
      <AboutFields of={props} />
      {value.addressedAs !== undefined && (
        <AddressList
          addresses={value.addressedAs}
          onChange={(addressedAs) => set({ addressedAs })}
        />
      )}
      {isNew && (
        <StreamDrafts
          streams={(value.stream ?? []) as readonly StreamDraft[]}
          errorOf={errorOf}
          onChange={(stream) => set({ stream: stream as unknown as Component['stream'] })}
        />
      )}
    </>
  )
}

/** Fills a new component in from a template: what it says can be changed before it is saved. */
function FromTemplate({ onChoose }: { readonly onChoose: (changes: Partial<Component>) => void }) {
  const [chosen, setChosen] = useState('')
  const asked = useQuery(recordKey('component_template', 'all'), (signal) =>
    listRecords('component_template', { limit: '1000' }, signal),
  )
  const templates = asked.data?.rows ?? []
  const missing = missingOf('templates', asked)
  if (templates.length === 0 && missing === undefined) return null
  const fill = (uid: string) => {
    setChosen(uid)
    const template = templates.find((one) => one.uid === uid)
    if (template === undefined) return
    const { description, timeZoneId, location, stream } = template
    const streams = stream.map((one) => ({ ...one, uid: '' }))
    onChoose({
      description,
      location,
      stream: streams as unknown as Component['stream'],
      ...(timeZoneId === '' ? {} : { timeZoneId }),
    })
  }
  return (
    <div className={styles.whole}>
      <Select
        label="Template"
        hint={missing ?? 'Fills in streams, description, location, and time zone'}
        value={chosen}
        choices={[
          { value: '', label: 'None' },
          ...templates.map((one) => ({ value: one.uid, label: shownName(one).slice(0, 80) })),
        ]}
        onChoose={fill}
      />
    </div>
  )
}

/** What goes with a component. */
export function ComponentLoss({ record }: { readonly record: Component }) {
  const { data, error } = useQuery(['extent', record.uid], (signal) =>
    call('get', '/api/component/{componentUid}/extent', {
      path: { componentUid: record.uid },
      signal,
    }),
  )
  if (error !== undefined) return <p>{error.message}</p>
  if (data === undefined) return <p>Counting streams and samples …</p>
  const { streamCount, sampleCount, isWhole } = data.extent
  return (
    <>
      <p>
        {streamCount === 1 ? 'One stream' : `${streamCount.toLocaleString()} streams`} and{' '}
        {isWhole ? '' : 'more than '}
        {sampleCount === 1 ? 'one sample' : `${sampleCount.toLocaleString()} samples`} are deleted
        too, including files. This cannot be undone.
      </p>
      <WhatStops extent={data.extent} />
    </>
  )
}
