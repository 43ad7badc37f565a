import { call } from '../../api/client.ts'
import { useQuery } from '../../api/use-query.ts'
import { Field } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import type { Dashboard } from './board-types.ts'
import { readComponentName } from './panels/stream-facts.ts'

const TEMPLATES_MAX = 1_000

interface VariableFieldsProps {
  readonly board: Dashboard
  readonly errorOf: (field: string) => string | undefined
  readonly onChange: (changes: Partial<Dashboard>) => void
}

/** Whether a board serves many devices: which device on it stands for the others, and which these are. */
export function VariableFields({ board, errorOf, onChange }: VariableFieldsProps) {
  const variable = board.variable ?? undefined
  const names = useComponentNames(board)
  const { data } = useQuery(
    ['component_template', 'names'],
    (signal) => call('get', '/api/component_template', { query: { limit: TEMPLATES_MAX }, signal }),
    { isOff: variable === undefined },
  )
  const templates = (data?.component_template ?? []).filter(({ id }) => id !== '')
  const set = (changes: Partial<NonNullable<Dashboard['variable']>>) =>
    variable !== undefined && onChange({ variable: { ...variable, ...changes } })
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
        <>
          <Select
            label="Template of the devices"
            value={variable.template}
            choices={[
              { value: '', label: 'All templates' },
              ...templates.map(({ id, name }) => ({ value: id, label: name || id })),
            ]}
            error={errorOf('variable.template')}
            onChoose={(template) => set({ template })}
          />
          <Field
            label="Folder of the devices"
            placeholder="/Components/Hall 1"
            autoComplete="off"
            value={variable.folder}
            error={errorOf('variable.folder')}
            onChange={(event) => set({ folder: event.currentTarget.value })}
          />
          <Field
            label="Label of the devices"
            placeholder="site=north"
            autoComplete="off"
            value={variable.label}
            error={errorOf('variable.label')}
            onChange={(event) => set({ label: event.currentTarget.value })}
          />
        </>
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
