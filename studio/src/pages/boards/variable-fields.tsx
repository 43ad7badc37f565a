import { useQuery } from '../../api/use-query.ts'
import { Select } from '../../ui/select.tsx'
import type { Dashboard } from './board-types.ts'
import { readComponentName } from './panels/stream-facts.ts'
import { PlaceFields } from './place-fields.tsx'

interface VariableFieldsProps {
  readonly board: Dashboard
  readonly errorOf: (field: string) => string | undefined
  readonly onChange: (changes: Partial<Dashboard>) => void
}

/** Whether a board serves many devices: which device on it stands for the others, and which these are. */
export function VariableFields({ board, errorOf, onChange }: VariableFieldsProps) {
  const variable = board.variable ?? undefined
  const names = useComponentNames(board)
  return (
    <>
      <Select
        label="Device variable"
        hint="Shows the board for any device that has streams with the same IDs as this one"
        value={variable?.componentUid ?? ''}
        choices={[{ value: '', label: 'None' }, ...names]}
        error={errorOf('variable.componentUid') ?? errorOf('variable')}
        onChoose={(componentUid) =>
          onChange({
            // The service removes what is null.
            variable:
              componentUid === ''
                ? (null as unknown as undefined)
                : { template: '', folder: '', label: '', ...variable, componentUid },
          })
        }
      />
      {variable !== undefined && (
        <PlaceFields
          place={variable}
          errorOf={(field) => errorOf(`variable.${field}`)}
          onChange={(changes) => onChange({ variable: { ...variable, ...changes } })}
        />
      )}
    </>
  )
}

/** The components whose streams the panels show, by name. */
function useComponentNames({ panels = [], variable }: Dashboard) {
  const shown = panels.flatMap(({ streams }) => streams.map(({ componentUid }) => componentUid))
  const uids = [...new Set(variable ? [variable.componentUid, ...shown] : shown)]
  const { data } = useQuery(['component', 'names', ...uids], () =>
    Promise.all(
      uids.map(async (value) => ({ value, label: (await readComponentName(value)) || value })),
    ),
  )
  return data ?? []
}
