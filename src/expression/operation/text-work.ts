import { TEXT_LENGTH_MAX } from '../../base/plain.ts'
import type { Run } from './operation.ts'

/** A text that an operation made; fails on one longer than a sample may be. */
export function madeText(run: Run, text: string): string {
  run.charge(text.length)
  return text.length <= TEXT_LENGTH_MAX ? text : failLength(run)
}

/** Two texts as one; fails before it makes one that is too long. */
export function joinTexts(run: Run, left: string, right: string): string {
  const length = left.length + right.length
  run.charge(length)
  return length <= TEXT_LENGTH_MAX ? left + right : failLength(run)
}

/** Fails because a text would be longer than a sample may be. */
export function failLength(run: Run): never {
  return run.fail(`The text has more than ${TEXT_LENGTH_MAX} characters. Shorten it`)
}
