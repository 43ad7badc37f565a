const LAST_POINT = 0x10ffff
const LAST_BEFORE_HALVES = 0xd7ff
const FIRST_AFTER_HALVES = 0xe000

/** The first text behind all that begin with a prefix, in the order of UTF-8; undefined when there is none. */
export function endOfPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix, (one) => one.codePointAt(0) ?? 0)
  while (points.at(-1) === LAST_POINT) points.pop()
  const last = points.pop()
  if (last === undefined) return undefined
  // No text has the halves of characters that stand in between.
  points.push(last === LAST_BEFORE_HALVES ? FIRST_AFTER_HALVES : last + 1)
  return String.fromCodePoint(...points)
}
