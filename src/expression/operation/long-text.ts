/**
 * Functions of texts in SQLite's own words, for a first argument that is a long text without U+0000, where
 * SQLite ends. Both count characters.
 */
import { TEXT_LENGTH_MAX } from '../../base/plain.ts'
import { countCharacters } from './characters.ts'
import type { SqlOperand } from './operation.ts'

type Printed = string | undefined

const isText = ({ type }: SqlOperand): boolean => type === 'STRING'
const isLong = ({ type }: SqlOperand): boolean => type === 'LONG'

/** len(text) */
export function longCount([of]: readonly SqlOperand[]): Printed {
  return `length(${of.text})`
}

/** Positions and lengths beyond count as these, far beyond every text: sums of them are exact. */
export const FAR = 4_000_000_000
export const LENGTH_FAR = 2_000_000_000

/** substr(text, start, [length]); SQLite takes a negative length for characters before the start. */
export function longPart([of, start, length]: readonly SqlOperand[]): Printed {
  if (!isLong(start)) return undefined
  const from = `max(${-FAR}, min(${FAR}, ${start.text}))`
  // A start before the first character shortens the length, which is no more than a text can have.
  if (length === undefined) return `substr(${of.text}, max(${-TEXT_LENGTH_MAX}, ${start.text}))`
  return isLong(length)
    ? `substr(${of.text}, ${from}, max(0, min(${LENGTH_FAR}, ${length.text})))`
    : undefined
}

/** left(text, count) */
export function longStart([of, length]: readonly SqlOperand[]): Printed {
  return isLong(length) ? `substr(${of.text}, 1, max(0, ${length.text}))` : undefined
}

/** indexOf(text, find) */
export function longPosition([of, find]: readonly SqlOperand[]): Printed {
  return isText(find) ? `instr(${of.text}, ${find.text})` : undefined
}

/** contains(text, find) */
export function longContains([of, find]: readonly SqlOperand[]): Printed {
  return isText(find) ? `(instr(${of.text}, ${find.text}) > 0)` : undefined
}

/** textBetween(text, start, end), between marks that are written down. */
export function longBetween([of, from, until]: readonly SqlOperand[]): Printed {
  if (from.literal === undefined || until.literal === undefined) return undefined
  const begin = `instr(${of.text}, ${from.text})`
  const first = `${begin} + ${countCharacters(from.literal)}`
  const end = `instr(substr(${of.text}, ${first}), ${until.text})`
  return `CASE WHEN ${begin} > 0 AND ${end} > 0 THEN substr(${of.text}, ${first}, ${end} - 1) END`
}
