import { characterCount } from './character-count.ts'
import { refuse } from './errors.ts'
import { ID_LENGTH_MAX } from './limits.ts'

/** A value as a message may show it: short, as JSON. */
export function showValue(value: unknown): string {
  const text = value === undefined ? 'nothing' : (JSON.stringify(value) ?? String(value))
  return text.length > 60 ? `${text.slice(0, 57)}...` : text
}

/** Refuses a field of what was sent, naming where it stands. */
export function refuseFieldAt(where: string, field: string, what: string): never {
  refuse('bad_input', { what: `Cannot accept ${where}: "${field}" ${what}` })
}

/** An ID as a call must give it: a text of 1 to 512 characters that is not blank. */
export function readId(value: unknown, where: string, field: string): string {
  if (value === undefined) refuseFieldAt(where, field, 'is missing')
  if (typeof value !== 'string')
    refuseFieldAt(where, field, `must be a string, got ${showValue(value)}`)
  if (value.trim() === '') refuseFieldAt(where, field, 'must not be blank')
  if (value.length > ID_LENGTH_MAX && characterCount(value) > ID_LENGTH_MAX) {
    const count = characterCount(value)
    refuseFieldAt(where, field, `has ${count} characters: at most ${ID_LENGTH_MAX}`)
  }
  return requireUnicode(value, where, field)
}

/** A text that can be kept as it is; refuses, naming its field, one that is no Unicode. */
export function requireUnicode(text: string, where: string, field: string): string {
  if (text.isWellFormed()) return text
  refuseFieldAt(where, field, 'is not valid Unicode (invalid UTF-8 or an unpaired surrogate)')
}
