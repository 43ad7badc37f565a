import { textOfValue } from './numbers.ts'
import type { Operation, Present, Run } from './operation.ts'

/** LIKE: % stands for any characters, _ for one; capitals do not matter in any script. */
export const like: Operation = {
  name: 'like',
  value: (run, value, pattern) => isLike(run, fold(run, value), fold(run, pattern)),
}

function fold(run: Run, value: Present): string[] {
  const text = textOfValue(value)
  run.charge(text.length)
  return Array.from(text, foldCharacter)
}

/** One form for all capitals of a character that stays one character. */
function foldCharacter(char: string): string {
  const upper = char.toUpperCase()
  const isOne = upper.length === char.length
  const lower = (isOne ? upper : char).toLowerCase()
  return lower.length === char.length ? lower : char
}

/** Goes back to the last % only, so that time grows at most with the product of the lengths. */
function isLike(run: Run, text: readonly string[], pattern: readonly string[]): boolean {
  let at = 0
  let wanted = 0
  let anyAt = -1
  let resumeAt = 0
  while (at < text.length) {
    if (pattern[wanted] === '%') {
      anyAt = wanted
      resumeAt = at
      wanted += 1
    } else if (pattern[wanted] === '_' || pattern[wanted] === text[at]) {
      at += 1
      wanted += 1
    } else if (anyAt >= 0) {
      run.charge(1 + at - resumeAt)
      resumeAt += 1
      at = resumeAt
      wanted = anyAt + 1
    } else return false
  }
  while (pattern[wanted] === '%') wanted += 1
  return wanted === pattern.length
}
