import { call } from '../../api/client.ts'
import { useQuery } from '../../api/use-query.ts'
import { Field } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'

const TEMPLATES_MAX = 1_000

/** Which devices are meant; blank texts leave none out. */
interface Place {
  readonly template: string
  readonly folder: string
  readonly label: string
}

interface PlaceFieldsProps {
  readonly place: Place
  readonly errorOf: (field: keyof Place) => string | undefined
  readonly onChange: (changes: Partial<Place>) => void
}

/** Template, folder, and label of devices. */
export function PlaceFields({ place, errorOf, onChange }: PlaceFieldsProps) {
  const { data } = useQuery(['component_template', 'names'], (signal) =>
    call('get', '/api/component_template', { query: { limit: TEMPLATES_MAX }, signal }),
  )
  const templates = (data?.component_template ?? []).filter(({ id }) => id !== '')
  return (
    <>
      <Select
        label="Template of the devices"
        value={place.template}
        choices={[
          { value: '', label: 'All templates' },
          ...templates.map(({ id, name }) => ({ value: id, label: name || id })),
        ]}
        error={errorOf('template')}
        onChoose={(template) => onChange({ template })}
      />
      <Field
        label="Folder of the devices"
        placeholder="/Components/Hall 1"
        autoComplete="off"
        value={place.folder}
        error={errorOf('folder')}
        onChange={(event) => onChange({ folder: event.currentTarget.value })}
      />
      <Field
        label="Label of the devices"
        placeholder="site=north"
        autoComplete="off"
        value={place.label}
        error={errorOf('label')}
        onChange={(event) => onChange({ label: event.currentTarget.value })}
      />
    </>
  )
}
