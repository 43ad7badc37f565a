/**
 * A text without the run of a character that it ends with. A pattern such as /0+$/ would walk every
 * run inside the text once from each of its characters.
 */
export function trimEndOf(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end -= 1
  return text.slice(0, end)
}
