import { useEffect, useState } from 'react'
import { call } from '../../../api/client.ts'
import { useQuery } from '../../../api/use-query.ts'
import { useAddress } from '../../../app/place.ts'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/field.tsx'
import { Select } from '../../../ui/select.tsx'
import { useNarrow } from '../../../ui/use-narrow.ts'
import { useQuiet } from '../../../ui/use-quiet.ts'
import type { DeviceFilters } from './device-filters.ts'
import styles from './devices.module.css'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

const SILENCES = [
  { value: '', label: 'All devices' },
  { value: String(15 * MINUTE_MS), label: 'Silent for 15 minutes' },
  { value: String(HOUR_MS), label: 'Silent for 1 hour' },
  { value: String(24 * HOUR_MS), label: 'Silent for 1 day' },
  { value: String(7 * 24 * HOUR_MS), label: 'Silent for 1 week' },
]

/** The filters of the list; typed ones count when typing rests. */
export function FilterBar({ filters }: { readonly filters: DeviceFilters }) {
  const { change } = useAddress()
  const isListed = SILENCES.some(({ value }) => value === filters.silent)
  const other = {
    value: filters.silent,
    label: `Silent for ${Number(filters.silent) / MINUTE_MS} minutes`,
  }
  const isNarrow = useNarrow()
  const { silent, template, folder, label } = filters
  const [isOpen, setOpen] = useState(false)
  if (!isOpen && silent + template + folder + label !== '') setOpen(true)
  const search = (
    <TypedFilter name="text" label="Search" given={filters.text} hint="Name, ID, or folder" />
  )
  // On a phone the list begins higher.
  if (isNarrow && !isOpen) {
    return (
      <div className={styles.folded}>
        {search}
        <Button aria-expanded={false} onClick={() => setOpen(true)}>
          Filters
        </Button>
      </div>
    )
  }
  return (
    <div className={styles.filters}>
      {search}
      <Select
        label="State"
        value={filters.silent}
        choices={isListed ? SILENCES : [...SILENCES, other]}
        onChoose={(silent) => change({ silent })}
      />
      <TemplateFilter chosen={filters.template} />
      <TypedFilter name="folder" label="Folder" given={filters.folder} hint="/Components/Hall 1" />
      <TypedFilter name="label" label="Label" given={filters.label} hint="site=north" />
    </div>
  )
}

interface TypedFilterProps {
  readonly name: 'text' | 'folder' | 'label'
  readonly label: string
  readonly given: string
  readonly hint: string
}

function TypedFilter({ name, label, given, hint }: TypedFilterProps) {
  const { change } = useAddress()
  const [typed, setTyped] = useState(given)
  const settled = useQuiet(typed.trim())
  useEffect(() => {
    // A link, or Back, may ask for something else.
    setTyped((before) => (before.trim() === given ? before : given))
  }, [given])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed changes the address.
  useEffect(() => {
    if (settled !== given && settled === typed.trim()) change({ [name]: settled })
  }, [settled])
  return (
    <Field
      label={label}
      value={typed}
      placeholder={hint}
      autoComplete="off"
      onChange={({ target }) => setTyped(target.value)}
    />
  )
}

const TEMPLATES_MAX = 1_000

/** The templates of the organization; nothing where it has none. */
function TemplateFilter({ chosen }: { readonly chosen: string }) {
  const { change } = useAddress()
  const { data } = useQuery(['component_template', 'names'], (signal) =>
    call('get', '/api/component_template', { query: { limit: TEMPLATES_MAX }, signal }),
  )
  const templates = (data?.component_template ?? []).filter(({ id }) => id !== '')
  if (templates.length === 0 && chosen === '') return null
  const known = templates.map(({ id, name }) => ({ value: id, label: name || id }))
  const isKnown = chosen === '' || templates.some(({ id }) => id === chosen)
  const choices = [
    { value: '', label: 'All templates' },
    ...known,
    ...(isKnown ? [] : [{ value: chosen, label: chosen }]),
  ]
  return (
    <Select
      label="Template"
      value={chosen}
      choices={choices}
      onChoose={(template) => change({ template })}
    />
  )
}
