import { listRecords, type RecordKinds, recordKey } from '../../../api/records.ts'
import { useQuery } from '../../../api/use-query.ts'
import { Select } from '../../../ui/select.tsx'
import styles from '../build.module.css'
import type { FieldsProps } from '../form.ts'
import { SizeFields } from './shared-fields.tsx'
import { TextField } from './text-field.tsx'

const ID_HINT = 'Optional. Unique in the organization'

const STYLES: ReadonlyArray<readonly [string, string]> = [
  ['TRUE_FALSE', 'true / false'],
  ['ONE_ZERO', '1 / 0'],
  ['ON_OFF', 'on / off'],
  ['YES_NO', 'yes / no'],
  ['CLOSE_OPEN', 'close / open'],
  ['OPEN_CLOSE', 'open / close'],
  ['HIGH_LOW', 'high / low'],
  ['LOW_HIGH', 'low / high'],
]

/** The fields of a unit. */
export function UnitFields(props: FieldsProps<RecordKinds['unit']>) {
  const { value, set, errorOf } = props
  return (
    <>
      <TextField of={props} field="name" label="Name" />
      <TextField of={props} field="id" label="ID" hint={ID_HINT} />
      <TextField of={props} field="symbol" label="Symbol" hint="For example °C. Spaces are shown" />
      <Select
        label="Symbol position"
        value={value.symbolLocation}
        error={errorOf('symbolLocation')}
        choices={[
          { value: 'AFTER', label: 'After the value' },
          { value: 'BEFORE', label: 'Before the value' },
        ]}
        onChoose={(symbolLocation) => set({ symbolLocation } as Partial<RecordKinds['unit']>)}
      />
      <TextField
        of={props}
        field="numberFormat"
        label="Number format"
        placeholder="0.0"
        hint="0.00: two decimals. 0,000.0: thousands separator. Blank: plain number"
      />
      <Select
        label="Booleans are shown as"
        value={value.booleanStyle}
        error={errorOf('booleanStyle')}
        choices={STYLES.map(([style, label]) => ({ value: style, label }))}
        onChoose={(booleanStyle) => set({ booleanStyle } as Partial<RecordKinds['unit']>)}
      />
    </>
  )
}

/** The fields of a delete profile. */
export function DeleteProfileFields(props: FieldsProps<RecordKinds['delete_profile']>) {
  return (
    <>
      <TextField of={props} field="name" label="Name" />
      <TextField of={props} field="id" label="ID" hint={ID_HINT} />
      <SizeFields
        of={props}
        label="Retention"
        types={['MINUTE', 'HOUR', 'DAY', 'WEEK', 'MONTH', 'YEAR']}
      />
      <p className={`${styles.note} ${styles.whole}`}>
        Older samples of streams with this profile are deleted in the background.
      </p>
    </>
  )
}

/** The field of a folder. */
export function FolderFields(props: FieldsProps<RecordKinds['component_folder']>) {
  return (
    <div className={styles.whole}>
      <TextField
        of={props}
        field="path"
        label="Path"
        placeholder="/Components/Hall 1"
        hint="Starts with /Components. Missing parent folders are created. Changing the path moves the folder and its contents."
      />
    </div>
  )
}

/** What goes with a folder. */
export function FolderLoss({ record }: { readonly record: RecordKinds['component_folder'] }) {
  const { data, error } = useQuery(recordKey('component', 'inside', record.path), (signal) =>
    listRecords('component', { folder: record.path, limit: '1' }, signal),
  )
  if (error !== undefined) return <p>{error.message}</p>
  if (data === undefined) return <p>Counting components …</p>
  if (data.total === 0)
    return <p>The folder contains no components. Its subfolders are deleted too.</p>
  return (
    <p>
      {data.total === 1 ? 'One component is' : `${data.total.toLocaleString()} components are`}{' '}
      deleted too, with all streams, samples, and files. This cannot be undone.
    </p>
  )
}

/** What goes with a record on which nothing hangs. */
export function NothingMore() {
  return <p>No samples are deleted. You cannot delete it while it is in use.</p>
}
