import { useId } from 'react'
import { listRecords, recordKey } from '../../../api/records.ts'
import { useQuery } from '../../../api/use-query.ts'
import { Field } from '../../../ui/field.tsx'
import { missingOf } from '../../../ui/missing.tsx'

interface FolderFieldProps {
  readonly value: string
  readonly error: string | undefined
  readonly onChange: (folder: string) => void
}

/** A folder, typed with those that there are as suggestions; a missing one is made. */
export function FolderField({ value, error, onChange }: FolderFieldProps) {
  const listId = useId()
  const asked = useQuery(recordKey('component_folder', 'all'), (signal) =>
    listRecords('component_folder', { limit: '1000' }, signal),
  )
  return (
    <>
      <Field
        label="Folder"
        hint={missingOf('folders', asked) ?? 'Created if it does not exist'}
        value={value}
        error={error}
        list={listId}
        autoComplete="off"
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <datalist id={listId}>
        {(asked.data?.rows ?? []).map(({ uid, path }) => (
          <option key={uid} value={path} />
        ))}
      </datalist>
    </>
  )
}
