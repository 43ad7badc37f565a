import { Field, TextArea } from '../../../ui/field.tsx'
import type { FieldsProps } from '../form.ts'

interface TextFieldProps<R> {
  readonly of: Pick<FieldsProps<R>, 'value' | 'set' | 'errorOf'>
  readonly field: keyof R & string
  readonly label: string
  readonly hint?: string
  readonly placeholder?: string
  readonly isLong?: boolean
}

/** A text of a record with the service's words about it. */
export function TextField<R>({ of, field, label, hint, placeholder, isLong }: TextFieldProps<R>) {
  const shared = {
    label,
    hint,
    placeholder,
    error: of.errorOf(field),
    value: String(of.value[field] ?? ''),
  }
  const set = (text: string) => of.set({ [field]: text } as Partial<R>)
  return isLong === true ? (
    <TextArea {...shared} rows={3} onChange={(event) => set(event.currentTarget.value)} />
  ) : (
    <Field
      {...shared}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => set(event.currentTarget.value)}
    />
  )
}
