/** The paths of JSON_TABLE's columns: which arrays they expand, and where each value is. */
import {
  type FailAt,
  JsonMistake,
  type PathStep,
  readJsonPath,
  type Span,
} from '../../expression/index.ts'
import type { SqlName } from '../syntax/sql-tree.ts'

type Segments = readonly (readonly PathStep[])[]

function segmentsOf({ text, span }: SqlName, failAt: FailAt): Segments {
  try {
    return readJsonPath(text)
  } catch (error) {
    if (error instanceof JsonMistake) throw failAt(error.message, placeIn(span, text, error.at))
    throw error
  }
}

/** The position of a path's character in the statement, where its quotes allow it. */
function placeIn({ from, until }: Span, text: string, at: number): Span {
  const isPlain = until - from === text.length + 2
  if (!isPlain) return { from, until }
  return { from: from + 1 + at, until: Math.min(until - 1, from + 2 + at) }
}

/** The levels of arrays that all paths together expand, and the level and steps of each path. */
export function planJsonPaths(paths: readonly SqlName[], failAt: FailAt) {
  const read = paths.map((path) => ({ path, segments: segmentsOf(path, failAt) }))
  let longest: Segments = [[]]
  for (const { segments } of read) if (segments.length > longest.length) longest = segments
  const levels = longest.slice(0, -1)
  const columns = read.map(({ path, segments }) => {
    const level = segments.length - 1
    const isAlong = segments.slice(0, -1).every((segment, index) => isSame(segment, levels[index]))
    if (!isAlong) {
      const problem = 'This path expands a different array than the other paths'
      throw failAt(`${problem}. Use a second JSON_TABLE for it`, path.span)
    }
    return { level, steps: segments[level] }
  })
  return { levels, columns }
}

function isSame(one: readonly PathStep[], other: readonly PathStep[]): boolean {
  return one.length === other.length && one.every((step, index) => step === other[index])
}
