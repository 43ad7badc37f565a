import type { RecordKinds } from '../../../api/records.ts'
import type { FieldsProps } from '../form.ts'
import type { StreamDraft } from '../stream-draft.ts'
import { AboutFields, ZoneOf } from './shared-fields.tsx'
import { StreamDrafts } from './stream-drafts.tsx'
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
        hint="Devices send it as compTmplId to create their component"
      />
      <ZoneOf of={props} hint="Leave blank for the time zone of the organization’s owner" />
      <AboutFields of={props} />
      <StreamDrafts
        isTemplate
        streams={value.stream as readonly StreamDraft[]}
        errorOf={errorOf}
        onChange={(stream) => set({ stream: stream as Template['stream'] })}
      />
    </>
  )
}
