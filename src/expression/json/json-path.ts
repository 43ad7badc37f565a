/** Paths into JSON: $, .name, ['name'], [n] and [*]. */
import { JsonMistake } from './json-mistake.ts'

/** A step of a path: a member by its name, or an element by its index from 0. */
export type PathStep = string | number

/** Steps of one path: real ones have a few. */
const STEPS_MAX = 64

const PLAIN_NAME = /[\p{L}\p{N}_$@-]+/uy

/**
 * Reads a path: the steps from one [*] to the next, and behind the last to the value. Throws
 * JsonMistake where it is none.
 */
export function readJsonPath(text: string): readonly (readonly PathStep[])[] {
  const segments: PathStep[][] = [[]]
  if (text[0] !== '$') {
    throw new JsonMistake("A path starts with $. Write '$.name', '$[0]', or '$.list[*].name'", 0)
  }
  for (let at = 1, steps = 1; at < text.length; steps++) {
    if (steps > STEPS_MAX) throw new JsonMistake(`A path has at most ${STEPS_MAX} steps`, at)
    const { step, end } = text[at] === '.' ? nameAt(text, at) : bracketAt(text, at)
    if (end === undefined) {
      const problem = "Invalid path step. Write .name, ['any name'], [0], or [*]"
      throw new JsonMistake(problem, at)
    }
    if (step === undefined) segments.push([])
    else segments[segments.length - 1].push(step)
    at = end
  }
  return segments
}

interface Step {
  /** undefined is [*]. */
  readonly step: PathStep | undefined
  /** Where the next step begins; undefined where this is none. */
  readonly end: number | undefined
}

const NO_STEP: Step = { step: undefined, end: undefined }

function nameAt(text: string, dot: number): Step {
  PLAIN_NAME.lastIndex = dot + 1
  const [name] = PLAIN_NAME.exec(text) ?? []
  return name === undefined ? NO_STEP : { step: name, end: dot + 1 + name.length }
}

function bracketAt(text: string, start: number): Step {
  if (text[start] !== '[') return NO_STEP
  const quote = text[start + 1]
  if (quote === "'" || quote === '"') {
    const close = text.indexOf(`${quote}]`, start + 2)
    return close < 0 ? NO_STEP : { step: text.slice(start + 2, close), end: close + 2 }
  }
  const close = text.indexOf(']', start)
  const inside = close < 0 ? '' : text.slice(start + 1, close).trim()
  if (inside === '*') return { step: undefined, end: close + 1 }
  return /^\d{1,9}$/.test(inside) ? { step: Number(inside), end: close + 1 } : NO_STEP
}
