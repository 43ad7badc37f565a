/** Times as calls give them: epoch milliseconds, or RFC 3339 with an offset. */
import {
  isSampleTime,
  parseClamped,
  parseWhole,
  type QueryPairs,
  readSingle,
  refuse,
} from '../base/plain.ts'
import { parseInstant, timeRuleFor } from './instant.ts'

/** Epoch milliseconds of a text; undefined when it is no time. */
export function parseTime(text: string): number | undefined {
  return parseWhole(text) ?? parseInstant(text.trim())
}

/** A time that a parameter holds, however far away; undefined when the parameter is not there. */
export function readTimeParameter(pairs: QueryPairs, name: string): number | undefined {
  const text = readSingle(pairs, name)
  if (text === undefined) return undefined
  const time = parseClamped(text) ?? parseInstant(text.trim())
  if (time !== undefined) return time
  refuse('bad_input', {
    what: `Parameter "${name}" ${timeRuleFor(text.trim())}, got "${text.slice(0, 60)}"`,
  })
}

/** A sample time written as text; refuses, naming where it stands, what no sample may have. */
export function parseSampleTime(text: string, where: string): number {
  const time = parseTime(text)
  if (time !== undefined && isSampleTime(time)) return time
  const rule = sampleTimeRule(text)
  refuse('bad_input', { what: `${where} ${rule}, got "${text.slice(0, 60)}"` })
}

/** A part of a body, with times that are texts as numbers, of digits or RFC 3339. Other values are left to the check of its shape. */
export function withTimes(part: unknown, names: readonly string[], place = ''): unknown {
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
  const fields: Record<string, unknown> = { ...part }
  for (const name of names) {
    const text = fields[name]
    if (typeof text !== 'string') continue
    const field = `${place}${name}`
    fields[name] =
      parseTime(text) ?? refuse('bad_input', { what: `${field} ${timeRuleFor(text)}`, field })
  }
  return fields
}

/** A body whose list has parts with `from` and `until`, with these times as numbers. */
export function withRanges(body: unknown, list: string): unknown {
  const parts = (body as Record<string, unknown> | null | undefined)?.[list]
  if (!Array.isArray(parts)) return body
  const read = parts.map((part, at) => withTimes(part, ['from', 'until'], `${list}[${at}].`))
  return { ...(body as object), [list]: read }
}

/** The rule that a time has broken which no sample may have, for a message. */
export function sampleTimeRule(given: unknown): string {
  const text = typeof given === 'string' ? given.trim() : ''
  const isNumber = typeof given === 'number' || (text !== '' && Number.isFinite(Number(text)))
  if (!isNumber && parseInstant(text) === undefined) return timeRuleFor(text)
  return 'must be integer epoch milliseconds from 1900 to 2261'
}
