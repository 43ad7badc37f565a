/** The words of a search, whatever their case. */
export function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
}

/** The words that a text does not hold. */
export function missingWords(text: string, words: readonly string[]): string[] {
  const folded = text.toLowerCase()
  return words.filter((word) => !folded.includes(word))
}
