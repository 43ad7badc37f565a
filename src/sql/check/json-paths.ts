/** Paths into JSON: $, .name, ['name'], [n] and [*]. */
import type { FailAt, Span } from '../../expression/index.ts'
import type { JsonStep } from '../compiled-sql.ts'
import type { SqlName } from '../syntax/sql-tree.ts'

/** Steps of one path, and of arrays that are expanded in each other. */
const STEPS_MAX = 64

/** A path: what leads from one expanded array to the next, and behind the last to the value. */
type Segments = readonly (readonly JsonStep[])[]

const PLAIN_NAME = /[\p{L}\p{N}_$@-]+/uy

/** Reads a path; throws where it is none. */
function readJsonPath({ text, span }: SqlName, failAt: FailAt): Segments {
  const segments: JsonStep[][] = [[]]
  let steps = 0
  const fail = (at: number, problem: string): never => {
    throw failAt(problem, placeIn(span, text, at))
  }
  if (text[0] !== '$') fail(0, "A path begins with $: write '$.name', '$[0]' or '$.list[*].name'")
  for (let at = 1; at < text.length; ) {
    steps += 1
    if (steps > STEPS_MAX) fail(at, `A path has at most ${STEPS_MAX} steps`)
    const { step, end } = text[at] === '.' ? nameAt(text, at) : bracketAt(text, at)
    if (end === undefined) {
      fail(at, "This is no step of a path: write .name, ['any name'], [0] or [*]")
    } else {
      if (step === undefined) segments.push([])
      else segments[segments.length - 1].push(step)
      at = end
    }
  }
  return segments
}

interface Step {
  /** undefined is [*]. */
  readonly step: JsonStep | undefined
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

/** The place of a character of a path in the statement, where its quotes let it be told. */
function placeIn({ from, until }: Span, text: string, at: number): Span {
  const isPlain = until - from === text.length + 2
  if (!isPlain) return { from, until }
  return { from: from + 1 + at, until: Math.min(until - 1, from + 2 + at) }
}

/** The levels of arrays that all paths together expand, and the level and steps of each path. */
export function planJsonPaths(paths: readonly SqlName[], failAt: FailAt) {
  const read = paths.map((path) => ({ path, segments: readJsonPath(path, failAt) }))
  let longest: Segments = [[]]
  for (const { segments } of read) if (segments.length > longest.length) longest = segments
  const levels = longest.slice(0, -1)
  const columns = read.map(({ path, segments }) => {
    const level = segments.length - 1
    const isAlong = segments.slice(0, -1).every((segment, index) => isSame(segment, levels[index]))
    if (!isAlong) {
      const problem = 'This path expands another array than the others do'
      throw failAt(`${problem}: use a second JSON_TABLE for it`, path.span)
    }
    return { level, steps: segments[level] }
  })
  return { levels, columns }
}

function isSame(one: readonly JsonStep[], other: readonly JsonStep[]): boolean {
  return one.length === other.length && one.every((step, index) => step === other[index])
}
