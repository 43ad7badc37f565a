import { unitsAt } from './characters.ts'
import { textOfValue } from './numbers.ts'
import type { Operation, Present, Run } from './operation.ts'

/** LIKE: % stands for any characters, _ for one; capitals do not matter in any script. */
export const like: Operation = {
  name: 'like',
  value: (run, value, pattern) => isLike(run, fold(run, value), fold(run, pattern)),
}

const PERCENT = 0x25
const UNDERSCORE = 0x5f

/** Characters beyond ASCII are folded one by one, which takes so much longer. */
const FOLD_CHARGE = 10

/** The text with one form for all capitals of a character; its characters stay in their places. */
function fold(run: Run, value: Present): string {
  const text = textOfValue(value)
  run.charge(text.length)
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase()
  run.charge(text.length * FOLD_CHARGE)
  return text.replace(/[A-Z]|[^\0-\x7f]/gu, foldCharacter)
}

function foldCharacter(char: string): string {
  const upper = char.toUpperCase()
  const isOne = upper.length === char.length
  const lower = (isOne ? upper : char).toLowerCase()
  return lower.length === char.length ? lower : char
}

/** Goes back to the last % only, so that time grows at most with the product of the lengths. */
function isLike(run: Run, text: string, pattern: string): boolean {
  let at = 0
  let wanted = 0
  let anyAt = -1
  let resumeAt = 0
  while (at < text.length) {
    const sign = pattern.charCodeAt(wanted)
    if (sign === PERCENT) {
      anyAt = wanted
      resumeAt = at
      wanted += 1
    } else if (sign === UNDERSCORE) {
      at += unitsAt(text, at)
      wanted += 1
    } else if (sign === text.charCodeAt(at)) {
      at += 1
      wanted += 1
    } else if (anyAt >= 0) {
      run.charge(2 * (1 + at - resumeAt))
      resumeAt += unitsAt(text, resumeAt)
      at = resumeAt
      wanted = anyAt + 1
    } else return false
  }
  while (pattern.charCodeAt(wanted) === PERCENT) wanted += 1
  return wanted === pattern.length
}
