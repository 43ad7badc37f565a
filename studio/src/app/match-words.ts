import { foldText } from './fold-text.ts'

/** The words of a search, whatever their case and marks. */
export function wordsOf(text: string): string[] {
  return foldText(text)
    .split(/\s+/)
    .filter((word) => word !== '')
}

/** The words that a text does not hold. */
export function missingWords(text: string, words: readonly string[]): string[] {
  const folded = foldText(text)
  return words.filter((word) => !folded.includes(word))
}
