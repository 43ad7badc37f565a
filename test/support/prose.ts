/** A sentence of a Markdown page, with the line on which it begins. */
export interface Sentence {
  readonly line: number
  readonly text: string
}

interface Block {
  readonly line: number
  readonly text: string
}

/** The name of a test in a table, behind its file: it is a name and no prose. */
const TEST_NAME = /^\s*`[^`]+\.test\.ts`: /

/** What begins a block of its own although no empty line comes before it. */
const BLOCK_START = /^\s*(?:[-*+] |\d+\. |#{1,6} |\|)/

/** The text outside code fences and HTML comments, line by line. */
function proseLines(page: string): string[] {
  let fence = ''
  return page
    .replace(/<!--[\s\S]*?-->/g, (comment) => comment.replace(/[^\n]/g, ''))
    .split('\n')
    .map((line) => {
      const mark = /^\s*(```+|~~~+)/.exec(line)?.[1] ?? ''
      if (fence === '' && mark !== '') {
        fence = mark
        return ''
      }
      if (fence === '') return line
      if (mark.startsWith(fence)) fence = ''
      return ''
    })
}

function blocksOf(page: string): Block[] {
  const blocks: { line: number; text: string }[] = []
  let open = false
  proseLines(page).forEach((line, index) => {
    const text = line.trim()
    if (text === '') {
      open = false
    } else if (text.startsWith('|')) {
      const cells = text
        .replaceAll('\\|', ' ')
        .split(/\|| · /)
        .filter((cell) => !TEST_NAME.test(cell))
      blocks.push(...cells.map((cell) => ({ line: index + 1, text: cell })))
      open = false
    } else if (open && !BLOCK_START.test(line)) {
      const last = blocks.at(-1)
      if (last !== undefined) last.text += `\n${text}`
    } else {
      blocks.push({ line: index + 1, text })
      open = !text.startsWith('#')
    }
  })
  return blocks
}

/** Code and addresses as one word each, emphasis and link targets left out; line ends are kept. */
function plainText(markdown: string): string {
  return markdown
    .replace(/(`+)[\s\S]*?\1/g, (code) => `Code${'\n'.repeat(code.split('\n').length - 1)}`)
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<?https?:\/\/[^\s>)]+>?/g, 'address')
    .replace(/[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}/g, '')
}

/** Abbreviations end no sentence, and neither do the numbers of versions and lists. */
const SENTENCE_END = /(?<!\b(?:e\.g|i\.e|etc|vs|No))[.!?…][)"'”]*(?=\s+[^a-z\s]|\s*$)/g

/** The sentences of a Markdown page: of paragraphs, list items, headings, and table cells. */
export function sentencesOf(page: string): Sentence[] {
  return blocksOf(page).flatMap((block) => {
    const text = plainText(block.text)
    const found: Sentence[] = []
    let from = 0
    for (const end of [
      ...text.matchAll(SENTENCE_END).map((m) => m.index + m[0].length),
      text.length,
    ]) {
      const sentence = text.slice(from, end)
      const skipped = /^\s*/.exec(sentence)?.[0].length ?? 0
      const line = block.line + text.slice(0, from + skipped).split('\n').length - 1
      if (sentence.trim() !== '') found.push({ line, text: sentence.trim().replace(/\s+/g, ' ') })
      from = end
    }
    return found
  })
}

/** How many words a sentence has: what has a letter or a digit between two spaces. */
export function wordsIn(sentence: string): number {
  return sentence.split(/[\s—–]+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
}
