/** Fields that records of several kinds have. */
import type { RecordKinds } from '../../../api/records.ts'
import { Field } from '../../../ui/field.tsx'
import { Select } from '../../../ui/select.tsx'
import { ZoneField } from '../../../ui/zone-field.tsx'
import styles from '../build.module.css'
import { type FieldsProps, numberOf } from '../form.ts'
import { LocationFields } from './location-fields.tsx'
import { sizeChoices } from './size-words.ts'
import { TextField } from './text-field.tsx'

interface Of<R> {
  readonly of: FieldsProps<R>
}

/** The time zone of a record. */
export function ZoneOf<R extends { readonly timeZoneId: string }>({
  of: { value, set, errorOf },
  hint,
}: Of<R> & { readonly hint: string }) {
  return (
    <ZoneField
      label="Time zone"
      hint={hint}
      value={value.timeZoneId}
      error={errorOf('timeZoneId')}
      onChange={(timeZoneId) => set({ timeZoneId } as Partial<R>)}
    />
  )
}

/** What a thing is, and where it stands. */
export function AboutFields<R extends Pick<RecordKinds['component'], 'description' | 'location'>>({
  of,
}: Of<R>) {
  return (
    <>
      <div className={styles.whole}>
        <TextField of={of} field="description" label="Description" isLong />
      </div>
      <LocationFields
        location={of.value.location}
        errorOf={of.errorOf}
        onChange={(location) => of.set({ location } as Partial<R>)}
      />
    </>
  )
}

interface SizeProps<R> extends Of<R> {
  /** Of the number; without one there is no number to give. */
  readonly label?: string
  readonly types: readonly string[]
}

/** A length of time: a number, and what is counted. */
export function SizeFields<R extends { readonly count: number; readonly sizeType: string }>({
  of: { value, set, errorOf },
  label,
  types,
}: SizeProps<R>) {
  return (
    <>
      {label !== undefined && (
        <Field
          label={label}
          inputMode="numeric"
          value={String(value.count)}
          error={errorOf('count')}
          onChange={(event) => {
            set({ count: numberOf(event.currentTarget.value) } as unknown as Partial<R>)
          }}
        />
      )}
      <Select
        label="Counted in"
        value={value.sizeType}
        error={errorOf('sizeType')}
        choices={sizeChoices(types)}
        onChoose={(sizeType) => set({ sizeType } as unknown as Partial<R>)}
      />
    </>
  )
}
