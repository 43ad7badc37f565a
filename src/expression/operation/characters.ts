/** Texts are counted in characters (code points), as SQL counts them, not in UTF-16 units. */

const BEYOND_ONE_UNIT = /[\u{10000}-\u{10FFFF}]/u

/** How many characters a text has. */
export function countCharacters(text: string): number {
  if (!BEYOND_ONE_UNIT.test(text)) return text.length
  let count = 0
  for (const _ of text) count += 1
  return count
}

/** The characters of a text from one index until another, which may lie outside of it. */
export function sliceCharacters(text: string, from: number, until: number): string {
  const start = Math.max(0, from)
  if (!(until > start)) return ''
  if (!BEYOND_ONE_UNIT.test(text)) return text.slice(start, until)
  return [...text].slice(start, until).join('')
}
