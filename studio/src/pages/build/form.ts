/** What the fields of an editor are given, and where an error of the service belongs. */
import type { ApiError } from '../../api/api-error.ts'

/** What the fields of a record are drawn from. */
export interface FieldsProps<R> {
  readonly value: R
  readonly isNew: boolean
  set(changes: Partial<R>): void
  /** What the service said about a field, such as `name` or `stream[1].id`, or about what lies below it. */
  errorOf(field: string): string | undefined
}

/** The field of a record that an error is about; undefined: it is about the whole, or about another record. */
export function fieldOf(noun: string, error: ApiError): string | undefined {
  return error.path?.startsWith(`${noun}.`) === true ? error.field : undefined
}

/** Shows errors at their fields; the form shows the others. */
export function errorsOf(
  noun: string,
  error: ApiError | undefined,
): FieldsProps<unknown>['errorOf'] {
  const field = error === undefined ? undefined : fieldOf(noun, error)
  const isOf = (asked: string) =>
    field === asked ||
    (field?.startsWith(asked) === true && /^[.[]/.test(field.slice(asked.length)))
  return (asked) => (isOf(asked) ? error?.message : undefined)
}

/** A name for lists: its own, else its ID, else what it is. */
export function shownName(record: { readonly name?: string; readonly id?: string }): string {
  return record.name || record.id || 'Unnamed'
}

/** A number in a field, as text while it is typed: what is no number is left for the service to refuse. */
export function numberOf(text: string): number | string {
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text
}
