import { type Sentence, sentencesOf } from './prose.ts'
import { tokensOf } from './source-tokens.ts'

interface SourceProse {
  readonly comments: Sentence[]
  /** Sentences of string literals of several words. A text with values in it is split at them. */
  readonly texts: Sentence[]
}

/** Three words in a row, which no name or key of a program has. */
const SEVERAL_WORDS = /\p{L}{2,} \p{L}+ \p{L}+/u

/** A comment without its marks. Indented examples are left out, as in Markdown. */
function textOf(comment: string): string {
  return comment
    .replace(/^\/\*+|\*+\/$|^\/\//g, '')
    .replace(/^[ \t]*\*/gm, '')
    .replace(/^ {4,}.*$/gm, '')
    .trimEnd()
}

/** The sentences that people read in a TypeScript source, by the line on which they begin. */
export function sourceProseOf(code: string): SourceProse {
  const comments: { line: number; end: number; text: string }[] = []
  const texts: Sentence[] = []
  for (const { kind, text, line } of tokensOf(code)) {
    const last = comments.at(-1)
    if (kind === 'comment' && text.startsWith('//') && last?.end === line - 1) {
      last.text += `\n${textOf(text)}`
      last.end = line
    } else if (kind === 'comment') {
      // A block comment has an end that no line comment continues.
      comments.push({ line, end: text.startsWith('//') ? line : -1, text: textOf(text) })
    } else if ((kind === 'string' || kind === 'template') && SEVERAL_WORDS.test(text)) {
      texts.push({ line, text: text.slice(1, -1) })
    }
  }
  const sentences = (blocks: readonly Sentence[]) =>
    blocks.flatMap((block) =>
      sentencesOf(block.text).map(({ line, text }) => ({ line: block.line + line - 1, text })),
    )
  return { comments: sentences(comments), texts: sentences(texts) }
}
