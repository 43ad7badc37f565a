import { useId, useState } from 'react'
import type { ApiError } from '../../../api/api-error.ts'
import { listRecords, recordKey } from '../../../api/records.ts'
import { useQuery } from '../../../api/use-query.ts'
import { Field } from '../../../ui/field.tsx'
import { Select } from '../../../ui/select.tsx'
import { FolderField } from '../../build/fields/folder-field.tsx'
import { useChoices } from '../../build/fields/use-choices.ts'
import styles from './rule.module.css'
import { type RuleDraft, ruleOf } from './rule-draft.ts'
import { RulePreview } from './rule-preview.tsx'

interface RuleFieldsProps {
  /** Whose rule it is. */
  readonly of: 'key' | 'organization'
  readonly draft: RuleDraft
  /** What was wrong when it was saved. */
  readonly error: ApiError | undefined
  readonly onChange: (draft: RuleDraft) => void
}

/** The address rule of a key or an organization, with a preview. */
export function RuleFields(props: RuleFieldsProps) {
  const { of, draft, error } = props
  const rule = ruleOf(draft)
  const [wasOpen, setIsOpen] = useState(rule !== null)
  const isWrong = error?.field?.startsWith('addressRule') === true
  return (
    <details
      className={styles.rule}
      open={wasOpen || isWrong}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
    >
      <summary>Address rule</summary>
      <p className={styles.hint}>
        Chooses the component and the stream ID of new series of other protocols, such as InfluxDB
        line protocol.{' '}
        {of === 'key'
          ? 'Without a rule, the rule of the organization applies.'
          : 'The rule of an API key comes first.'}{' '}
        Existing streams do not change.
      </p>
      <Texts {...props} />
      <RulePreview rules={of === 'key' ? { keyRule: rule } : { organizationRule: rule }} />
      <Defaults {...props} />
    </details>
  )
}

/** What the IDs are made of. */
function Texts({ draft, error, onChange }: RuleFieldsProps) {
  const textOf = (name: 'component' | 'stream' | 'uses') => ({
    value: draft[name],
    error: error?.field?.startsWith(`addressRule.${name}`) ? error.message : undefined,
    autoComplete: 'off',
    spellCheck: false,
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      onChange({ ...draft, [name]: event.currentTarget.value }),
  })
  return (
    <div className={styles.fields}>
      <Field
        {...textOf('component')}
        label="Component ID"
        placeholder="{host}"
        hint="Labels in braces, such as {site}-{host}. {a|b} is the first of these labels that exists"
      />
      <Field
        {...textOf('stream')}
        label="Stream ID"
        placeholder="{__name__}"
        hint="Other labels are appended, such as ,room=north"
      />
      <Field
        {...textOf('uses')}
        label="Labels not appended"
        hint="Names of labels, separated by commas"
      />
    </div>
  )
}

/** How new components and streams are created. */
function Defaults({ draft, onChange }: RuleFieldsProps) {
  const profiles = useChoices('delete_profile', draft.deleteProfile, 'Forever')
  const set = (changes: Partial<RuleDraft>) => onChange({ ...draft, ...changes })
  return (
    <div className={styles.fields}>
      <TemplateField chosen={draft.template} onChoose={(template) => set({ template })} />
      <FolderField value={draft.folder} error={undefined} onChange={(folder) => set({ folder })} />
      <Select
        label="Retention of new streams"
        value={draft.deleteProfile}
        {...profiles}
        onChoose={(deleteProfile) => set({ deleteProfile })}
      />
    </div>
  )
}

interface TemplateFieldProps {
  readonly chosen: string
  readonly onChoose: (id: string) => void
}

/** The template of new components, by its ID. */
function TemplateField({ chosen, onChoose }: TemplateFieldProps) {
  const listId = useId()
  const { data } = useQuery(recordKey('component_template', 'all'), (signal) =>
    listRecords('component_template', { limit: '1000' }, signal),
  )
  return (
    <>
      <Field
        label="Template ID"
        hint="Template of new components"
        value={chosen}
        list={listId}
        autoComplete="off"
        onChange={(event) => onChoose(event.currentTarget.value)}
      />
      <datalist id={listId}>
        {(data?.rows ?? [])
          .filter(({ id }) => id !== '')
          .map(({ uid, id }) => (
            <option key={uid} value={id} />
          ))}
      </datalist>
    </>
  )
}
