import type { RecordKinds } from '../../../api/records.ts'
import { ZoneField } from '../../../ui/zone-field.tsx'
import styles from '../build.module.css'
import type { FieldsProps } from '../form.ts'
import { LocationFields } from './location-fields.tsx'
import { StreamDrafts } from './stream-drafts.tsx'
import type { StreamDraft } from './stream-fields.tsx'
import { TextField } from './text-field.tsx'

type Template = RecordKinds['component_template']

/** The fields of a template, with its streams. */
export function TemplateFields(props: FieldsProps<Template>) {
  const { value, set, errorOf } = props
  return (
    <>
      <TextField of={props} field="name" label="Name" />
      <TextField
        of={props}
        field="id"
        label="ID"
        hint="Devices name it as compTmplId when they make themselves"
      />
      <ZoneField
        label="Time zone"
        hint="Blank: that of the organization’s owner"
        value={value.timeZoneId}
        error={errorOf('timeZoneId')}
        onChange={(timeZoneId) => set({ timeZoneId })}
      />
      <div className={styles.whole}>
        <TextField of={props} field="description" label="Description" isLong />
      </div>
      <LocationFields
        location={value.location}
        errorOf={errorOf}
        onChange={(location) => set({ location })}
      />
      <StreamDrafts
        streams={value.stream as readonly StreamDraft[]}
        errorOf={errorOf}
        onChange={(stream) => set({ stream: stream as Template['stream'] })}
      />
    </>
  )
}
