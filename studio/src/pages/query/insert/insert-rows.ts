/** What can be written into a text, as the rows of a tree. */
import type { GqlLanguage } from '../sql-language.ts'

/** A row. One without text only shows a note. */
export interface InsertRow {
  readonly key: string
  readonly depth: number
  readonly label: string
  readonly detail: string
  readonly text: string
  /** The query that an empty text begins with. */
  readonly whole?: string
  /** Whether there are rows below it to open. */
  readonly isFolded: boolean
}

/** What names a component or a stream. */
export interface Named {
  readonly uid: string
  readonly id: string
  readonly name: string
}

/** What the rows are made of. */
export interface InsertSource {
  readonly tables: GqlLanguage['tables']
  readonly components: readonly Named[]
  /** Components that are not shown. */
  readonly moreCount: number
  /** Streams by the UIDs of components that are open. */
  readonly streams: ReadonlyMap<string, readonly Named[]>
  readonly open: ReadonlySet<string>
}

/** Streams of a component that are shown. */
const STREAMS_MAX = 1_000

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`
const fromDay = 'time >= now() - 24 * 3600000 ORDER BY time'

/** The rows that are open, tables first. */
export function rowsOf(source: InsertSource): InsertRow[] {
  const { tables, components, moreCount, open } = source
  const rows = [
    ...tables.flatMap((table) => tableRows(table, open)),
    ...components.flatMap((component) => componentRows(component, source)),
  ]
  return moreCount > 0
    ? [...rows, noteRow('more', 0, `${moreCount} more components. Search to find them`)]
    : rows
}

function noteRow(key: string, depth: number, label: string): InsertRow {
  return { key, depth, label, detail: '', text: '', isFolded: false }
}

function tableRows(
  { name, columns }: GqlLanguage['tables'][number],
  open: ReadonlySet<string>,
): InsertRow[] {
  const key = `table ${name}`
  const whole = `SELECT * FROM ${name} LIMIT 100`
  const row = { key, depth: 0, label: name, detail: 'table', text: name, whole, isFolded: true }
  if (!open.has(key)) return [row]
  return [
    row,
    ...columns.map(({ name: column, valueType }) => ({
      key: `${key} ${column}`,
      depth: 1,
      label: column,
      detail: valueType.toLowerCase(),
      text: column,
      whole: `SELECT ${column} FROM ${name} LIMIT 100`,
      isFolded: false,
    })),
  ]
}

function componentRows(component: Named, { open, streams }: InsertSource): InsertRow[] {
  const { uid, id, name } = component
  const key = `component ${uid}`
  const text = id === '' ? `cuid = ${quoted(uid)}` : `cid = ${quoted(id)}`
  const row = {
    key,
    depth: 0,
    label: name || id || uid,
    detail: name === '' ? '' : id,
    text,
    whole: `SELECT name, lastValue, unit FROM STREAM WHERE ${text}`,
    isFolded: true,
  }
  const below = open.has(key) ? streams.get(uid) : []
  if (below === undefined) return [row, noteRow(`${key} …`, 1, 'Loading …')]
  if (open.has(key) && below.length === 0) return [row, noteRow(`${key} none`, 1, 'No streams')]
  const left = below.length - STREAMS_MAX
  return [
    row,
    ...below.slice(0, STREAMS_MAX).map((stream) => streamRow(stream, key, text)),
    ...(left > 0 ? [noteRow(`${key} more`, 1, `${left} more streams`)] : []),
  ]
}

function streamRow({ uid, id, name }: Named, key: string, ofComponent: string): InsertRow {
  const text = id === '' ? `uid = ${quoted(uid)}` : `${ofComponent} AND id = ${quoted(id)}`
  return {
    key: `${key} ${uid}`,
    depth: 1,
    label: name || id || uid,
    text,
    isFolded: false,
    detail: name === '' ? '' : id,
    whole: `SELECT time, sample FROM SAMPLE\nWHERE ${text}\n  AND ${fromDay}`,
  }
}
