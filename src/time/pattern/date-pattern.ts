/**
 * Patterns of dates with the letters of Java's DateTimeFormatter, read once into fields that both
 * formatDate and readDate follow.
 */
import { BoundedCache, refuse } from '../../base/plain.ts'

/** A pattern in use has some dozen letters; a longer one only serves to cost time. */
const PATTERN_LENGTH_MAX = 200

/** Services use few patterns, over and over. */
const PATTERNS_KEPT = 200

/** The letters that mean something, and how often each may be repeated. */
const WIDTHS = {
  y: [1, 2, 4],
  u: [1, 2, 4],
  Q: [1, 2],
  M: [1, 2, 3, 4],
  L: [1, 2, 3, 4],
  d: [1, 2],
  D: [1, 2, 3],
  E: [1, 2, 3, 4],
  a: [1],
  H: [1, 2],
  k: [1, 2],
  K: [1, 2],
  h: [1, 2],
  m: [1, 2],
  s: [1, 2],
  S: [1, 2, 3, 4, 5, 6, 7, 8, 9],
  X: [1, 2, 3],
  x: [1, 2, 3],
  Z: [1, 2, 3, 5],
  z: [1, 2, 3],
  V: [2],
} as const satisfies Record<string, readonly number[]>

/** Letters of Java that are asked for by mistake or cannot be kept, with what to write instead. */
const REFUSED: ReadonlyMap<string, string> = new Map([
  ['Y', 'Y is the week-based year. Use y'],
  ['w', 'weeks are not supported. Use the cycle "week"'],
  ['W', 'weeks are not supported. Use the cycle "week"'],
  ['n', 'times have millisecond precision. Use S'],
  ['N', 'times have millisecond precision. Use S'],
  ['A', 'use H, m, s, and S'],
  ['v', 'use VV, or X for the offset'],
  ['O', 'use X for the offset'],
  ['e', 'write E'],
  ['c', 'write E'],
])

/** A letter of a pattern that stands for a part of a date. */
export type DateLetter = keyof typeof WIDTHS

/** One step of a pattern: a text as it is, a part of the date in some width, or steps that a text may be without. */
export type DateField =
  | { readonly text: string; readonly letter?: undefined; readonly optional?: undefined }
  | {
      readonly letter: DateLetter
      readonly width: number
      readonly text?: undefined
      readonly optional?: undefined
    }
  | {
      readonly optional: readonly DateField[]
      readonly letter?: undefined
      readonly text?: undefined
    }

/** A pattern that was read and found good. */
export interface DatePattern {
  readonly text: string
  readonly fields: readonly DateField[]
}

const patterns = new BoundedCache<string, DatePattern>(PATTERNS_KEPT)

/** Reads a pattern such as `yyyy-MM-dd'T'HH:mm:ss.SSSXXX`; refuses one with a letter that means nothing. */
export function compileDatePattern(text: string): DatePattern {
  const known = patterns.get(text)
  if (known !== undefined) return known
  if (text.length > PATTERN_LENGTH_MAX) {
    refuse('bad_input', {
      what: `The date pattern has ${text.length} characters: at most ${PATTERN_LENGTH_MAX}`,
    })
  }
  const pattern = { text, fields: readFields(text) }
  patterns.set(text, pattern)
  return pattern
}

function readFields(text: string): DateField[] {
  let fields: DateField[] = []
  /** The fields before each bracket that is open. */
  const outer: DateField[][] = []
  let literal = ''
  const endLiteral = () => {
    if (literal !== '') fields.push({ text: literal })
    literal = ''
  }
  for (let at = 0; at < text.length; ) {
    const char = text[at]
    if (char === "'") {
      const quoted = readQuoted(text, at)
      literal += quoted.text
      at = quoted.end
    } else if (/[A-Za-z]/.test(char)) {
      endLiteral()
      let width = 1
      while (text[at + width] === char) width += 1
      fields.push(readLetter(text, char, width))
      at += width
    } else {
      at += 1
      if (char === '[') {
        endLiteral()
        outer.push(fields)
        fields = []
      } else if (char === ']') {
        endLiteral()
        const before = outer.pop()
        if (before === undefined) return refusePattern(text, 'a "]" has no "[" before it')
        before.push({ optional: fields })
        fields = before
      } else if ('{}#'.includes(char)) refusePattern(text, `"${char}" must be in quotes`)
      else literal += char
    }
  }
  endLiteral()
  if (outer.length > 0) refusePattern(text, 'a "[" is not closed')
  return fields
}

/** A quoted text from its first quote on; two quotes are one, inside and outside of a text. */
function readQuoted(text: string, start: number): { text: string; end: number } {
  if (text[start + 1] === "'") return { text: "'", end: start + 2 }
  let quoted = ''
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] !== "'") quoted += text[at]
    else if (text[at + 1] !== "'") return { text: quoted, end: at + 1 }
    else {
      quoted += "'"
      at += 1
    }
  }
  return refusePattern(text, 'a quote is not closed')
}

function readLetter(text: string, letter: string, width: number): DateField {
  if (!isLetter(letter)) {
    const advice = REFUSED.get(letter) ?? 'put text in single quotes'
    return refusePattern(text, `the letter ${letter} is not supported, ${advice}`)
  }
  const widths: readonly number[] = WIDTHS[letter]
  if (!widths.includes(width)) {
    const choices = widths.map((count) => letter.repeat(count)).join(', ')
    refusePattern(text, `${letter.repeat(width)} is not supported. Use one of ${choices}`)
  }
  return { letter, width }
}

function isLetter(letter: string): letter is DateLetter {
  return Object.hasOwn(WIDTHS, letter)
}

function refusePattern(text: string, problem: string): never {
  refuse('bad_input', { what: `Cannot use the date pattern "${text}": ${problem}` })
}
