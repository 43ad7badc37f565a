import { Button, IconButton } from '../../ui/button.tsx'
import { Checkbox, Field } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import { capabilityOf, KINDS, type Method, type Right, sentenceOf } from './capability-words.ts'
import { ComponentField, useComponentNames } from './component-field.tsx'
import styles from './section.module.css'

const OWN_PATH = 'own'
const ALL_METHODS: ReadonlyArray<readonly [Method, string]> = [
  ['GET', 'see'],
  ['PUT', 'add'],
  ['POST', 'change'],
  ['DELETE', 'delete'],
]

interface PickerProps {
  readonly rights: readonly Right[]
  readonly error: string | undefined
  onChange(rights: readonly Right[]): void
}

/** What a key may do, row by row, with the sentence that it makes. */
export function CapabilityPicker({ rights, error, onChange }: PickerProps) {
  const nameOf = useComponentNames(rights.map(capabilityOf))
  const change = (at: number, next: Right) =>
    onChange(rights.map((right, index) => (index === at ? next : right)))
  return (
    <fieldset
      className={styles.rights}
      aria-describedby={error === undefined ? undefined : 'rights-error'}
    >
      <legend>Permissions</legend>
      {rights.map((right, at) => (
        <RightRow
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no names, and keep their order.
          key={at}
          number={at + 1}
          right={right}
          nameOf={nameOf}
          onChange={(next) => change(at, next)}
          onRemove={() => onChange(rights.filter((_, index) => index !== at))}
        />
      ))}
      <p className={styles.spoken} aria-live="polite">
        {sentenceOf(rights.map(capabilityOf), nameOf)}
      </p>
      {error !== undefined && (
        <p id="rights-error" role="alert">
          {error}
        </p>
      )}
      <Button
        icon="plus"
        onClick={() =>
          onChange([...rights, { kind: KINDS[0], component: '*', path: '', methods: ['GET'] }])
        }
      >
        Add permission
      </Button>
    </fieldset>
  )
}

interface RowProps {
  readonly number: number
  readonly right: Right
  nameOf(componentUid: string): string
  onChange(right: Right): void
  onRemove(): void
}

function RightRow({ number, right, nameOf, onChange, onRemove }: RowProps) {
  const { kind, methods, component, path } = right
  const verbs = kind?.verbs ?? ALL_METHODS
  const toggle = (method: Method) =>
    onChange({
      ...right,
      methods: methods.includes(method)
        ? methods.filter((one) => one !== method)
        : [...methods, method],
    })
  const chooseKind = (id: string) => {
    const next = KINDS.find((one) => one.id === id)
    const known = (next?.verbs ?? ALL_METHODS).map(([method]) => method)
    onChange({ ...right, kind: next, methods: methods.filter((method) => known.includes(method)) })
  }
  return (
    <div className={styles.right}>
      <span>May</span>
      {verbs.map(([method, verb]) => (
        <Checkbox
          key={method}
          label={verb}
          checked={methods.includes(method)}
          onChange={() => toggle(method)}
        />
      ))}
      <Select
        label={`Resource of permission ${number}`}
        isLabelHidden
        value={kind?.id ?? OWN_PATH}
        choices={[
          ...KINDS.map(({ id, label }) => ({ value: id, label })),
          { value: OWN_PATH, label: 'custom path' },
        ]}
        onChoose={chooseKind}
      />
      {kind === undefined && (
        <Field
          label={`Path of permission ${number}`}
          isLabelHidden
          value={path}
          placeholder="component/*/feed"
          onChange={(event) => onChange({ ...right, path: event.currentTarget.value })}
        />
      )}
      {kind?.resource.includes('{component}') === true && (
        <ComponentField
          number={number}
          component={component}
          name={nameOf(component)}
          onChoose={(value) => onChange({ ...right, component: value })}
        />
      )}
      <IconButton icon="close" label={`Remove permission ${number}`} onClick={onRemove} />
    </div>
  )
}
