import { Button, IconButton } from '../../../ui/button.tsx'
import { Field } from '../../../ui/field.tsx'
import { Select } from '../../../ui/select.tsx'
import { useChoices } from '../fields/use-choices.ts'
import { type FieldsProps, numberOf } from '../form.ts'
import {
  blankVariable,
  type DerivePlace,
  freeName,
  type SourceChoice,
  type VariableDraft,
} from './derivation-draft.ts'
import styles from './derive.module.css'
import { SourceField } from './source-field.tsx'
import { READINGS } from './statistic-words.ts'

interface VariableRowsProps {
  readonly variables: readonly VariableDraft[]
  readonly place: DerivePlace
  readonly sources: readonly SourceChoice[]
  readonly errorOf: FieldsProps<unknown>['errorOf']
  readonly onChange: (variables: readonly VariableDraft[]) => void
}

/** What the names of a formula stand for. */
export function VariableRows({ variables, place, sources, errorOf, onChange }: VariableRowsProps) {
  const own = variables.some((_, at) => errorOf(`derivation.variables[${at}]`) !== undefined)
  const error = own ? undefined : errorOf('derivation.variables')
  return (
    <div className={styles.variables}>
      <p className={styles.title}>Variables</p>
      {variables.length === 0 && (
        <p className={styles.note}>A variable gives a stream a name in the formula.</p>
      )}
      {variables.map((variable, at) => (
        <VariableRow
          // biome-ignore lint/suspicious/noArrayIndexKey: names change while they are typed.
          key={at}
          at={at}
          variable={variable}
          place={place}
          sources={sources}
          errorOf={(field) => errorOf(`derivation.variables[${at}]${field}`)}
          onChange={(changes) =>
            onChange(variables.map((one, where) => (where === at ? { ...one, ...changes } : one)))
          }
          onRemove={() => onChange(variables.filter((_, where) => where !== at))}
        />
      ))}
      {error !== undefined && (
        <p className={styles.error} role="alert">
          {error}
        </p>
      )}
      <div>
        <Button
          icon="plus"
          onClick={() => onChange([...variables, blankVariable(freeName(variables))])}
        >
          Add variable
        </Button>
      </div>
    </div>
  )
}

interface VariableRowProps {
  readonly at: number
  readonly variable: VariableDraft
  readonly place: DerivePlace
  readonly sources: readonly SourceChoice[]
  /** By what stands behind the variable in the path of a field, such as `.name`. */
  readonly errorOf: (field: string) => string | undefined
  readonly onChange: (changes: Partial<VariableDraft>) => void
  readonly onRemove: () => void
}

const SOURCE_FIELDS = ['.streamId', '.streamUid', '.componentId', '.componentUid'] as const
const OTHER_FIELDS = ['.name', '.offset', '.cycleId', '.cycleUid', '.stat'] as const

function VariableRow(props: VariableRowProps) {
  const { at, variable, place, sources, errorOf, onChange, onRemove } = props
  const { name, offset, stat, cycleUid } = variable
  const cycles = useChoices('cycle', cycleUid, 'Choose a cycle')
  const ofSource = SOURCE_FIELDS.map(errorOf).find((message) => message !== undefined)
  const isOther = OTHER_FIELDS.some((field) => errorOf(field) !== undefined)
  return (
    <fieldset className={styles.variable}>
      <legend className="visually-hidden">{`Variable ${name || at + 1}`}</legend>
      <Field
        label="Name"
        value={name}
        error={errorOf('.name')}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
      />
      <SourceField
        variable={variable}
        place={place}
        sources={sources}
        // What is said of the variable as a whole is about what it reads.
        error={ofSource ?? (isOther ? undefined : errorOf(''))}
        onPick={onChange}
      />
      <Select
        label="Reads"
        value={stat}
        error={errorOf('.stat')}
        choices={READINGS}
        onChoose={(chosen) => {
          const none = chosen === '' ? { cycleUid: '', cycleId: '' } : {}
          onChange({ stat: chosen as VariableDraft['stat'], ...none })
        }}
      />
      {stat !== '' && (
        <Select
          label="Per"
          value={cycleUid}
          error={errorOf('.cycleId') ?? errorOf('.cycleUid')}
          {...cycles}
          onChoose={(uid) => onChange({ cycleUid: uid, cycleId: '' })}
        />
      )}
      <Field
        label="Offset (steps back)"
        hint={offset === 0 ? undefined : backWords(offset, stat)}
        inputMode="numeric"
        value={String(typeof offset === 'number' ? Math.abs(offset) : offset)}
        error={errorOf('.offset')}
        onChange={(event) => onChange({ offset: offsetOf(event.currentTarget.value) })}
      />
      <div className={styles.remove}>
        <IconButton icon="trash" label={`Remove variable ${name || at + 1}`} onClick={onRemove} />
      </div>
    </fieldset>
  )
}

/** Steps back are a negative offset. Text that is no number is left for the service to refuse. */
function offsetOf(text: string): number {
  const number = numberOf(text)
  return (typeof number === 'number' ? 0 - Math.abs(number) : number) as number
}

function backWords(offset: number, stat: string): string {
  const steps = Math.abs(offset)
  const [one, many] =
    stat === '' ? ['sample or interval', 'samples or intervals'] : ['period', 'periods']
  return steps === 1 ? `the previous ${one}` : `${steps} ${many} earlier`
}
