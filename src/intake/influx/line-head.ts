import {
  BYTE_SETS,
  COMMA,
  ENDS_KEY,
  ENDS_MEASUREMENT,
  EQUALS,
  ESCAPED_IN_KEY,
  ESCAPED_IN_MEASUREMENT,
  HASH,
  NEWLINE,
  NOT_PRINTABLE,
  RETURN,
  SPACE,
} from './line-bytes.ts'
import { takeToken } from './take-token.ts'

/** Measurement and tags of a line. */
export interface LineHead {
  readonly measurement: string
  readonly tags: ReadonlyMap<string, string>
  /** Where the space after them is. */
  readonly end: number
  /** A tag that is there twice. */
  readonly repeatedTag: string | undefined
}

/** Why a line cannot be read, and where reading it has stopped. */
interface LineProblem {
  readonly problem: string
  readonly at: number
}

const IN_MEASUREMENT = { ends: ENDS_MEASUREMENT, escaped: ESCAPED_IN_MEASUREMENT }
const IN_KEY = { ends: ENDS_KEY, escaped: ESCAPED_IN_KEY }

/** Tags after which a line is read no further: no stream has as many labels. */
const TAGS_MAX = 1_000

/** What is quoted of a line in messages. */
const QUOTED_LENGTH_MAX = 60

/** Reads measurement and tags, or returns the error in them. */
export function readLineHead(bytes: Buffer, from: number, limit: number): LineHead | LineProblem {
  const { text: measurement, end } = takeToken(bytes, from, limit, IN_MEASUREMENT)
  if (measurement === undefined) return { problem: 'The measurement is not UTF-8', at: end }
  if (measurement === '') return { problem: 'The measurement is missing', at: end }
  if (bytes[from] === HASH) {
    return { problem: 'The comment has a control character', at: end }
  }
  const tags = new Map<string, string>()
  let repeatedTag: string | undefined
  let at = end
  while (at < limit && bytes[at] === COMMA) {
    const key = takeToken(bytes, at + 1, limit, IN_KEY)
    if (key.text === undefined) return { problem: 'A tag key is not UTF-8', at: key.end }
    if (key.text === '') return { problem: 'A tag key is missing', at: key.end }
    if (bytes[key.end] !== EQUALS || key.end >= limit) {
      return { problem: `Tag ${shown(key.text)} has no value`, at: Math.min(key.end, limit) }
    }
    const value = takeToken(bytes, key.end + 1, limit, IN_KEY)
    if (value.text === undefined) {
      return { problem: `The value of tag ${shown(key.text)} is not UTF-8`, at: value.end }
    }
    if (value.text === '') return { problem: `Tag ${shown(key.text)} has no value`, at: value.end }
    if (tags.has(key.text)) repeatedTag ??= key.text
    else if (tags.size === TAGS_MAX) {
      return { problem: 'A stream may have 64 labels', at: value.end }
    }
    tags.set(key.text, value.text)
    at = value.end
  }
  if (at < limit && bytes[at] === SPACE) return { measurement, tags, end: at, repeatedTag }
  if (at < limit && (BYTE_SETS[bytes[at]] & NOT_PRINTABLE) === 0) {
    return { problem: 'A space and fields must follow the measurement and tags', at }
  }
  const isLineEnd = at >= limit || bytes[at] === NEWLINE || bytes[at] === RETURN
  const problem = isLineEnd
    ? 'The line has no fields'
    : 'The measurement or a tag has a control character'
  return { problem, at }
}

/** Whether a head could not be read. */
export function isUnreadable(head: LineHead | LineProblem): head is LineProblem {
  return 'problem' in head
}

/** A name as messages quote it. */
export function shown(name: string): string {
  return JSON.stringify(name.slice(0, QUOTED_LENGTH_MAX).toWellFormed())
}
