/** The words of a text, which is how long lists of names are written. */
export function wordsOf(text: string): string[] {
  return text.trim().split(/\s+/)
}
