import { useState } from 'react'
import { type Choice, Select } from '../../ui/select.tsx'
import { inputText, readInput } from '../../ui/time/input-time.ts'
import { TimeField } from '../../ui/time/time-field.tsx'
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
          <FixedTime
            label={`From, ${zone}`}
            zone={zone}
            at={from}
            onChange={(at) => onChange(`${at}..${until}`)}
          />
          <FixedTime
            label={`Until, ${zone}`}
            zone={zone}
            at={until}
            error={error}
            onChange={(at) => onChange(`${from}..${at}`)}
          />
        </>
      )}
    </>
  )
}

interface FixedTimeProps {
  readonly label: string
  readonly zone: string
  readonly at: number
  readonly error?: string
  readonly onChange: (at: number) => void
}

/** One end of a range. What is typed stays until it is a time. */
function FixedTime({ label, zone, at, error, onChange }: FixedTimeProps) {
  const [typed, setTyped] = useState<string>()
  const shown = Number.isFinite(at) ? inputText(zone, at) : ''
  return (
    <TimeField
      label={label}
      value={typed ?? shown}
      error={error}
      onBlur={() => setTyped(undefined)}
      onChange={(event) => {
        const text = event.currentTarget.value
        setTyped(text)
        const next = readInput(zone, text)
        if (Number.isFinite(next)) onChange(next)
      }}
    />
  )
}
