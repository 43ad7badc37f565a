import { refuse } from './errors.ts'

/** The names and values of a query string, in order, decoded. */
export type QueryPairs = ReadonlyArray<readonly [name: string, value: string]>

function decode(text: string, raw: string): string {
  if (!text.includes('%') && !text.includes('+')) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    refuse('bad_input', {
      what: `Cannot decode the parameter "${raw.slice(0, 60)}". Encode a percent sign as %25`,
    })
  }
}

/** Reads a raw query string; plus is a space, empty pairs are passed over, also a leading one. */
export function readQueryPairs(query: string): QueryPairs {
  return readPairs(query, decode)
}

/**
 * Reads the query of a call that ignores parameters it does not know: what cannot be decoded stays
 * as it is, so that it is refused only where it stands for something.
 */
export function readLoosePairs(query: string): QueryPairs {
  return readPairs(query, (text) => {
    try {
      return decodeURIComponent(text.replaceAll('+', ' '))
    } catch {
      return text
    }
  })
}

function readPairs(query: string, decode: (text: string, raw: string) => string): QueryPairs {
  const pairs: [string, string][] = []
  for (const part of query.split('&')) {
    if (part === '') continue
    const equals = part.indexOf('=')
    const name = equals < 0 ? part : part.slice(0, equals)
    const value = equals < 0 ? '' : part.slice(equals + 1)
    pairs.push([decode(name, part), decode(value, part)])
  }
  return pairs
}

/** The value of a parameter that may be given once; undefined when it is not there. */
export function readSingle(pairs: QueryPairs, name: string): string | undefined {
  let found: string | undefined
  for (const [given, value] of pairs) {
    if (given !== name) continue
    if (found !== undefined) refuse('bad_input', { what: `Parameter "${name}" is given twice` })
    found = value
  }
  return found
}

/** Whether a flag is set: present, and neither `false`, in any case, nor `0`. */
export function readFlag(pairs: QueryPairs, name: string): boolean {
  return pairs.some(([given, value]) => given === name && !isNo(value))
}

function isNo(value: string): boolean {
  return value === '0' || (value.length === 5 && value.toLowerCase() === 'false')
}

/** A choice between yes and no, undefined when it is not there; refuses what is neither. */
export function readChoice(pairs: QueryPairs, name: string): boolean | undefined {
  const text = readSingle(pairs, name)
  if (text === undefined) return undefined
  if (isNo(text)) return false
  if (text === '' || text === '1' || text.toLowerCase() === 'true') return true
  refuse('bad_input', {
    what: `Parameter "${name}" must be true, false, 1 or 0, got "${text.slice(0, 60)}"`,
  })
}

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/

/** A whole number written as text, as in `1700000000000` or `1.7e12`; undefined for anything else. */
export function parseWhole(text: string): number | undefined {
  const value = parseNumber(text)
  return value !== undefined && Number.isSafeInteger(value) ? value + 0 : undefined
}

function parseNumber(text: string): number | undefined {
  const trimmed = text.trim()
  return NUMBER.test(trimmed) ? Number(trimmed) : undefined
}

/** A whole number of any length, held within what a double can count; undefined for anything else. */
export function parseClamped(text: string): number | undefined {
  const value = parseNumber(text) ?? Number.NaN
  if (value > Number.MAX_SAFE_INTEGER) return Number.MAX_SAFE_INTEGER
  if (value < Number.MIN_SAFE_INTEGER) return Number.MIN_SAFE_INTEGER
  return Number.isInteger(value) ? value + 0 : undefined
}

/** A whole number that a parameter must hold, however large; undefined when it is not there. */
export function readWhole(
  pairs: QueryPairs,
  name: string,
  options: { readonly min: number; readonly whenEmpty?: number },
): number | undefined {
  const text = readSingle(pairs, name)
  if (text === undefined) return undefined
  if (text === '' && options.whenEmpty !== undefined) return options.whenEmpty
  const value = parseClamped(text)
  if (value === undefined || value < options.min) {
    const rule = `must be an integer of at least ${options.min}`
    refuse('bad_input', { what: `Parameter "${name}" ${rule}, got "${text.slice(0, 60)}"` })
  }
  return value
}
