/** How searches compare names. The studio has the same in `app/fold-text.ts`; a test holds the two together. */

/** Letters that have no mark to be taken off and are typed as others. */
const PLAIN: Readonly<Record<string, string>> = {
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ħ: 'h',
  ŧ: 't',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ð: 'd',
  ς: 'σ',
}

const MARKS = /[\u0300-\u036f]/g
const UNUSUAL = /[øłđħŧæœþðς]/g
const ASCII = /^[\0-\x7f]*$/

/** A text as searches compare it: whatever its case, its marks and its form of writing. */
export function foldName(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  const bare = text.normalize('NFKD').replace(MARKS, '').normalize('NFKC')
  // Up and down again: ß and ss are one, as are the forms of a letter that share a capital.
  return bare
    .toUpperCase()
    .toLowerCase()
    .replace(UNUSUAL, (letter) => PLAIN[letter] ?? letter)
}
