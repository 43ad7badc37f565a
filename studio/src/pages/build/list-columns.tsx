import type { RecordKinds } from '../../api/records.ts'
import { Link } from '../../app/link.tsx'
import type { Column } from '../../ui/data-table.tsx'
import styles from './build.module.css'
import { sizeWords } from './fields/size-words.ts'
import { shownName } from './form.ts'
import type { BuildKind } from './kinds.ts'

type Row<K extends BuildKind> = RecordKinds[K]
type Columns<K extends BuildKind> = ReadonlyArray<Column<Row<K>>>

const nameOf = <K extends BuildKind>(kind: K): Column<Row<K>> => ({
  id: 'name',
  label: 'Name',
  show: (row) => (
    <Link className={styles.name} to={`/build/${kind}/${row.uid}`}>
      {shownName(row)}
    </Link>
  ),
})

const idOf = <R extends { readonly id: string }>(): Column<R> => ({
  id: 'id',
  label: 'ID',
  show: ({ id }) => <span className={styles.name}>{id}</span>,
})

const short = (text: string) => <span className={styles.short}>{text}</span>

const COLUMNS: { readonly [K in BuildKind]: Columns<K> } = {
  component: [
    nameOf('component'),
    idOf(),
    {
      id: 'folder',
      label: 'Folder',
      show: ({ folder }) => <span className={styles.name}>{folder}</span>,
    },
    { id: 'zone', label: 'Time zone', show: ({ timeZoneId }) => short(timeZoneId) },
    { id: 'streams', label: 'Streams', isNumber: true, show: ({ streamCount }) => streamCount },
  ],
  component_template: [
    nameOf('component_template'),
    idOf(),
    { id: 'streams', label: 'Streams', isNumber: true, show: ({ stream }) => stream.length },
  ],
  cycle: [
    nameOf('cycle'),
    idOf(),
    { id: 'size', label: 'Period', show: (row) => short(sizeWords(row)) },
    {
      id: 'zone',
      label: 'Time zone',
      show: ({ timeZoneId }) => short(timeZoneId || 'of the component'),
    },
    { id: 'kind', label: '', show: ({ revision }) => short(revision === 0 ? 'built in' : '') },
  ],
  unit: [
    nameOf('unit'),
    idOf(),
    { id: 'symbol', label: 'Symbol', show: ({ symbol }) => symbol },
    { id: 'format', label: 'Format', show: ({ numberFormat }) => numberFormat || 'plain' },
  ],
  delete_profile: [
    nameOf('delete_profile'),
    idOf(),
    { id: 'size', label: 'Retention', show: (row) => short(sizeWords(row)) },
  ],
  component_folder: [
    nameOf('component_folder'),
    { id: 'path', label: 'Path', show: ({ path }) => path },
  ],
}

/** The columns of the list of a kind. */
export function columnsOf(kind: BuildKind): ReadonlyArray<Column<RecordKinds[BuildKind]>> {
  return COLUMNS[kind] as ReadonlyArray<Column<RecordKinds[BuildKind]>>
}
