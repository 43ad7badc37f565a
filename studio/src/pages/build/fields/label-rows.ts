/** The labels of a stream as rows of a form: while they are typed, names may be blank or the same. */
import type { Schema } from '../../../api/paths.ts'

type Labels = NonNullable<Schema<'Stream'>['labels']>

/** A label that is typed. */
export interface LabelRow {
  /** Tells rows apart whose names change. */
  readonly key: number
  readonly name: string
  readonly value: string
}

/** As many as a stream can have. */
export const LABELS_MAX = 64

let lastKey = 0

/** A row; without a label a blank one. */
export function newRow(name = '', value = ''): LabelRow {
  lastKey += 1
  return { key: lastKey, name, value }
}

/** Rows of labels, by name. */
export function rowsOf(labels: Labels = {}): LabelRow[] {
  return sorted(labels).map(([name, value]) => newRow(name, value))
}

/** The labels of rows, without rows in which nothing is typed. */
export function labelsOf(rows: readonly LabelRow[]): Labels {
  const typed = rows.filter(({ name, value }) => name !== '' || value !== '')
  return Object.fromEntries(typed.map(({ name, value }) => [name, value]))
}

/** Whether rows are of these labels. */
export function areOf(rows: readonly LabelRow[], labels: Labels = {}): boolean {
  return JSON.stringify(sorted(labelsOf(rows))) === JSON.stringify(sorted(labels))
}

/** Why a row cannot be saved as it is. */
export function mistakeIn(rows: readonly LabelRow[], row: LabelRow): string | undefined {
  if (row.name === '') return row.value === '' ? undefined : 'Enter a name.'
  const first = rows.find(({ name }) => name === row.name)
  return first === row ? undefined : 'Another label has this name.'
}

function sorted(labels: Labels): Array<[string, string]> {
  return Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))
}
