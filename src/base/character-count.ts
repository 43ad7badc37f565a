/** How many characters a text has, as people count: a pair of surrogates is one. */
export function characterCount(text: string): number {
  let count = 0
  for (const _character of text) count += 1
  return count
}
