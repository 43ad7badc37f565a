/**
 * Texts as PostgreSQL stores them. It refuses U+0000, so U+0000 is stored as U+0001 U+0001 and U+0001 as
 * U+0001 U+0002. No two texts become the same, and their order by bytes stays.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
const ESCAPED = /[\u0000\u0001]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
const EACH_ESCAPED = /[\u0000\u0001]/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
const EACH_PAIR = /\u0001([\u0001\u0002])/g

/** The text as a column has it; halves of surrogate pairs become U+FFFD, as in every store. */
export function toStored(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed()
  if (!ESCAPED.test(whole)) return whole
  return whole.replace(EACH_ESCAPED, (one) => (one === '\u0000' ? '\u0001\u0001' : '\u0001\u0002'))
}

/** The text of a column. */
export function fromStored(text: string): string {
  if (!text.includes('\u0001')) return text
  return text.replace(EACH_PAIR, (_, second) => (second === '\u0001' ? '\u0000' : '\u0001'))
}
