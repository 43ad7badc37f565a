import { Field } from '../../ui/field.tsx'
import { type Choice, Select } from '../../ui/select.tsx'
import { RANGE_WORDS, rangeAt, rangeWords } from './ranges.ts'

interface RangeFieldProps {
  readonly label: string
  readonly value: string
  readonly error?: string
  /** What a blank range is called; without it none can be chosen. */
  readonly blank?: string
  readonly onChange: (range: string) => void
}

const FIXED = 'fixed'

/** A range of time: words first, exact times in the browser's zone below. */
export function RangeField({ label, value, error, blank, onChange }: RangeFieldProps) {
  const isFixed = value.includes('..')
  const isKnown = value === '' || isFixed || RANGE_WORDS.some(([range]) => range === value)
  const choices: readonly Choice[] = [
    ...(blank === undefined ? [] : [{ value: '', label: blank }]),
    ...RANGE_WORDS.map(([range, words]) => ({ value: range, label: words })),
    ...(isKnown ? [] : [{ value, label: rangeWords(value) }]),
    { value: FIXED, label: 'From … until …' },
  ]
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const choose = (chosen: string) => {
    if (chosen !== FIXED) return onChange(chosen)
    const { from, until } = rangeAt(value || 'last-24h', zone, Date.now())
    return onChange(`${Math.floor(from / 60_000) * 60_000}..${Math.ceil(until / 60_000) * 60_000}`)
  }
  const [from, until] = value.split('..').map(Number)
  return (
    <>
      <Select
        label={label}
        value={isFixed ? FIXED : value}
        error={isFixed ? undefined : error}
        choices={choices}
        onChoose={choose}
      />
      {isFixed && (
        <>
          <Field
            label={`From, ${zone}`}
            type="datetime-local"
            value={localText(from)}
            onChange={(event) => {
              const at = new Date(event.currentTarget.value).getTime()
              if (Number.isFinite(at)) onChange(`${at}..${until}`)
            }}
          />
          <Field
            label={`Until, ${zone}`}
            type="datetime-local"
            value={localText(until)}
            error={error}
            onChange={(event) => {
              const at = new Date(event.currentTarget.value).getTime()
              if (Number.isFinite(at)) onChange(`${from}..${at}`)
            }}
          />
        </>
      )}
    </>
  )
}

/** What a field for local times shows. */
function localText(at: number): string {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return ''
  const two = (value: number) => String(value).padStart(2, '0')
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`
}
