/** Texts are counted in characters (code points), as SQL counts them, not in UTF-16 units. */

const BEYOND_ONE_UNIT = /[\u{10000}-\u{10FFFF}]/u

/** How many characters a text has. */
export function countCharacters(text: string): number {
  if (!BEYOND_ONE_UNIT.test(text)) return text.length
  let count = 0
  for (let at = 0; at < text.length; at += unitsAt(text, at)) count += 1
  return count
}

/** The characters of a text from one index until another, which may lie outside of it. */
export function sliceCharacters(text: string, from: number, until: number): string {
  const start = Math.max(0, from)
  if (!(until > start)) return ''
  if (!BEYOND_ONE_UNIT.test(text)) return text.slice(start, until)
  const startUnit = skipCharacters(text, 0, start)
  return text.slice(startUnit, skipCharacters(text, startUnit, until - start))
}

/** The UTF-16 units of the character that begins at a unit: 2 of a surrogate pair, else 1. */
export function unitsAt(text: string, at: number): number {
  const isHigh = (text.charCodeAt(at) & 0xfc00) === 0xd800
  return isHigh && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00 ? 2 : 1
}

function skipCharacters(text: string, from: number, count: number): number {
  let at = from
  for (let left = count; left > 0 && at < text.length; left--) at += unitsAt(text, at)
  return at
}
