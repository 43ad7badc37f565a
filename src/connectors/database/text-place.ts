/** The line and column of a character of a text, counted from 1; `offset` counts code points from 0. */
export function placeAt(text: string, offset: number): { line: number; column: number } {
  const before = [...text].slice(0, offset)
  const lineStart = before.lastIndexOf('\n') + 1
  const line = before.reduce((count, character) => (character === '\n' ? count + 1 : count), 1)
  return { line, column: before.length - lineStart + 1 }
}
