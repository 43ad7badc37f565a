import { type FormEvent, useState } from 'react'
import { useAddress } from '../../app/place.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import { readInput } from '../../ui/time/input-time.ts'
import { TimeField } from '../../ui/time/time-field.tsx'
import { browserZone } from '../../ui/time/zone-time.ts'
import { ACT_GROUPS } from './audit-acts.ts'
import styles from './section.module.css'

/** What the address asks of the audit log, as its parameters. */
export interface AuditFilter {
  readonly search?: string
  readonly act?: string
  readonly actor?: string
  readonly from?: number
  readonly until?: number
}

/** The names of the filters in the address; days are as the date fields have them. */
const NAMES = ['search', 'what', 'by', 'since', 'to', 'before'] as const

const DAY_MS = 86_400_000

/** The filter that the address holds; blank fields choose nothing. */
export function filterIn(query: URLSearchParams): AuditFilter {
  const [search, what, by, since, to, before] = NAMES.map((name) => query.get(name) ?? '')
  const group = ACT_GROUPS.find(({ label }) => label === what)
  const from = dayStart(since)
  const until = Number(before) || dayEnd(to)
  return {
    ...(search === '' ? {} : { search }),
    ...(group === undefined ? {} : { act: group.acts.join(',') }),
    ...(by === '' ? {} : { actor: by }),
    ...(from === undefined ? {} : { from }),
    ...(until === undefined ? {} : { until }),
  }
}

/** The first moment of a day in the browser's zone. */
function dayStart(day: string): number | undefined {
  const at = day === '' ? Number.NaN : readInput(browserZone(), `${day}T00:00`)
  return Number.isNaN(at) || at < 0 ? undefined : at
}

/** The first moment after a day. */
function dayEnd(day: string): number | undefined {
  const noon = day === '' ? Number.NaN : Date.parse(`${day}T12:00:00Z`)
  if (Number.isNaN(noon)) return undefined
  return dayStart(new Date(noon + DAY_MS).toISOString().slice(0, 10))
}

/** The fields that choose entries; what they choose is in the address. */
export function AuditFilters({
  callers,
}: {
  readonly callers: readonly { readonly value: string; readonly label: string }[]
}) {
  const { query, change } = useAddress()
  const set = (changes: Readonly<Record<string, string | undefined>>) =>
    change({ ...changes, before: undefined, from: undefined }, { step: true })
  const inAddress = (name: (typeof NAMES)[number]) => query.get(name) ?? ''
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    set({ search: String(new FormData(event.currentTarget).get('search') ?? '').trim() })
  }
  const clear = () => set(Object.fromEntries(NAMES.map((name) => [name, undefined])))
  const isFiltered = NAMES.some((name) => inAddress(name) !== '')
  const groups = ACT_GROUPS.map(({ label }) => ({ value: label, label }))
  return (
    <form className={styles.filters} onSubmit={submit} aria-label="Filter the audit log">
      <Field
        label="Search"
        name="search"
        type="search"
        maxLength={200}
        defaultValue={inAddress('search')}
        key={inAddress('search')}
      />
      <Select
        label="Action"
        value={inAddress('what')}
        choices={[{ value: '', label: 'All actions' }, ...groups]}
        onChoose={(what) => set({ what })}
      />
      <Select
        label="By"
        value={inAddress('by')}
        choices={[{ value: '', label: 'Anyone' }, ...callers]}
        onChoose={(by) => set({ by })}
      />
      <DayField label="From" day={inAddress('since')} onDay={(since) => set({ since })} />
      <DayField label="To" day={inAddress('to')} onDay={(to) => set({ to })} />
      <div className={styles.actions}>
        <Button type="submit">Search</Button>
        {isFiltered && (
          <Button kind="plain" onClick={clear}>
            Clear
          </Button>
        )}
      </div>
    </form>
  )
}

interface DayFieldProps {
  readonly label: string
  /** Blank without one. */
  readonly day: string
  readonly onDay: (day: string) => void
}

/** A day that is chosen as soon as it is complete. */
function DayField({ label, day, onDay }: DayFieldProps) {
  const [typed, setTyped] = useState({ day, text: day })
  // Another day of the address replaces what was typed.
  const text = typed.day === day ? typed.text : day
  const type = (next: string) => {
    const isWhole = next === '' || dayStart(next) !== undefined
    setTyped({ day: isWhole ? next : day, text: next })
    if (isWhole) onDay(next)
  }
  return (
    <TimeField
      label={label}
      isDay
      value={text}
      onChange={(event) => type(event.currentTarget.value)}
    />
  )
}
