import { type FormEvent, useState } from 'react'
import { call } from '../../api/client.ts'
import { confirmed } from '../../api/confirmed.ts'
import type { Schema } from '../../api/paths.ts'
import { usePerson } from '../../api/session.ts'
import { lookWhoIsThere } from '../../api/sign-in.ts'
import { useAct } from '../../api/use-act.ts'
import { invalidate, useQuery } from '../../api/use-query.ts'
import { Button } from '../../ui/button.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Checkbox, Field, FormAlert } from '../../ui/field.tsx'
import { bytesText, countText } from '../../ui/figure-text.ts'
import { showToast } from '../../ui/toast.tsx'
import { draftOf, ruleOf } from './rule/rule-draft.ts'
import { RuleFields } from './rule/rule-fields.tsx'
import styles from './section.module.css'

type Organization = Schema<'Organization'>

/** The organization itself: its name, its limits, and what it uses. */
export function OrganizationSection() {
  const { orgUid } = usePerson()
  const { data, error } = useQuery(['organization', orgUid], (signal) =>
    call('get', '/api/organization/{uid}', { path: { uid: orgUid }, signal }),
  )
  return (
    <div className={styles.section}>
      {error !== undefined && <Empty text={error.message} />}
      {data !== undefined && (
        <>
          <OrganizationForm key={data.organization.uid} organization={data.organization} />
          <h2>Usage</h2>
          <Usage organization={data.organization} />
        </>
      )}
    </div>
  )
}

const FIELDS = ['name', 'rateLimits', 'addressRule']

function OrganizationForm({ organization }: { readonly organization: Organization }) {
  const [name, setName] = useState(organization.name)
  const [rateLimits, setRateLimits] = useState(organization.rateLimits)
  const [oauth, setOauth] = useState(organization.oauth)
  const [rule, setRule] = useState(() => draftOf(organization.addressRule))
  const act = useAct()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    await act.run(async () => {
      const path = { uid: organization.uid }
      const body = { organization: { name, rateLimits, oauth, addressRule: ruleOf(rule) } }
      const done = await confirmed((headers) =>
        call('post', '/api/organization/{uid}', { path, headers, body }),
      )
      if (done === undefined) return
      invalidate('organization')
      await lookWhoIsThere()
      showToast('Organization saved.')
    })
  }
  return (
    <form onSubmit={submit} noValidate className={styles.form}>
      <FormAlert>{act.errorBeside(...FIELDS)}</FormAlert>
      <Field
        label="Name"
        value={name}
        error={act.errorAt('name')}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Field
        label="Rate limits"
        hint="off, default, classic, or custom limits. Leave blank to use the limits of the service."
        value={rateLimits}
        error={act.errorAt('rateLimits')}
        onChange={(event) => setRateLimits(event.currentTarget.value)}
      />
      <Checkbox
        label="Only registered OAuth clients may request access"
        checked={oauth === 'strict'}
        onChange={(event) => setOauth(event.currentTarget.checked ? 'strict' : '')}
      />
      <RuleFields of="organization" draft={rule} error={act.error} onChange={setRule} />
      <Button kind="primary" type="submit" isBusy={act.isBusy}>
        Save
      </Button>
    </form>
  )
}

const MEASURES = [
  ['components', 'Components', countText],
  ['streams', 'Streams', countText],
  ['fileBytes', 'Files', bytesText],
  ['catalogBytes', 'Records', bytesText],
  ['organizations', 'Additional organizations', countText],
] as const

function Usage({ organization: { usage, quota } }: { readonly organization: Organization }) {
  const limitOf = (name: keyof typeof quota, text: (value: number) => string) => {
    const limit = quota[name]
    return limit === null ? 'no limit' : text(limit)
  }
  return (
    <DataTable
      label="Usage of the organization"
      rows={MEASURES}
      keyOf={([name]) => name}
      columns={[
        { id: 'what', label: 'Resource', show: ([, label]) => label },
        {
          id: 'used',
          label: 'Used',
          isNumber: true,
          show: ([name, , text]) => text(usage[name]),
        },
        {
          id: 'limit',
          label: 'Limit',
          isNumber: true,
          show: ([name, , text]) => limitOf(name, text),
        },
      ]}
    />
  )
}
