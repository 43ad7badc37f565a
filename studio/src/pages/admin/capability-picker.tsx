import { call } from '../../api/client.ts'
import { useQuery } from '../../api/use-query.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Checkbox, Field } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import { capabilityOf, KINDS, type Method, type Right, sentenceOf } from './capability-words.ts'
import styles from './section.module.css'

const OWN_PATH = 'own'
const COMPONENTS_MAX = 1_000
const ALL_METHODS: ReadonlyArray<readonly [Method, string]> = [
  ['GET', 'see'],
  ['PUT', 'add'],
  ['POST', 'change'],
  ['DELETE', 'delete'],
]

/** The components that a right can be about; of very many the first thousand. */
export function useComponentNames() {
  const { data } = useQuery(['component', 'names'], (signal) =>
    call('get', '/api/component', { query: { limit: COMPONENTS_MAX }, signal }),
  )
  const components = data?.component ?? []
  const names = new Map(components.map(({ uid, id, name }) => [uid, name || id || uid]))
  return { components, nameOf: (uid: string) => names.get(uid) ?? uid }
}

interface PickerProps {
  readonly rights: readonly Right[]
  readonly error: string | undefined
  onChange(rights: readonly Right[]): void
}

/** What a key may do, row by row, with the sentence that it makes. */
export function CapabilityPicker({ rights, error, onChange }: PickerProps) {
  const { components, nameOf } = useComponentNames()
  const change = (at: number, next: Right) =>
    onChange(rights.map((right, index) => (index === at ? next : right)))
  const choices = [
    { value: '*', label: 'of every component' },
    ...components.map(({ uid, id, name }) => ({ value: uid, label: `of ${name || id || uid}` })),
  ]
  return (
    <fieldset
      className={styles.rights}
      aria-describedby={error === undefined ? undefined : 'rights-error'}
    >
      <legend>What the key may do</legend>
      {rights.map((right, at) => (
        <RightRow
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no names, and keep their order.
          key={at}
          number={at + 1}
          right={right}
          components={choices}
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
        Add a right
      </Button>
    </fieldset>
  )
}

interface RowProps {
  readonly number: number
  readonly right: Right
  readonly components: ReadonlyArray<{ readonly value: string; readonly label: string }>
  onChange(right: Right): void
  onRemove(): void
}

function RightRow({ number, right, components, onChange, onRemove }: RowProps) {
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
        label={`What right ${number} is about`}
        isLabelHidden
        value={kind?.id ?? OWN_PATH}
        choices={[
          ...KINDS.map(({ id, label }) => ({ value: id, label })),
          { value: OWN_PATH, label: 'a path of your own' },
        ]}
        onChoose={chooseKind}
      />
      {kind === undefined && (
        <Field
          label={`Path of right ${number}`}
          isLabelHidden
          value={path}
          placeholder="component/*/feed"
          onChange={(event) => onChange({ ...right, path: event.currentTarget.value })}
        />
      )}
      {kind?.resource.includes('{component}') === true && (
        <Select
          label={`Component of right ${number}`}
          isLabelHidden
          value={component}
          choices={
            components.some(({ value }) => value === component)
              ? components
              : [...components, { value: component, label: `of ${component}` }]
          }
          onChoose={(value) => onChange({ ...right, component: value })}
        />
      )}
      <IconButton icon="close" label={`Remove right ${number}`} onClick={onRemove} />
    </div>
  )
}
