/** Colors code by the language description of the page. */
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { tags } from '@lezer/highlight'
import type { CodeLanguage, TokenKind } from './editor-types.ts'

/** What is open at the end of a line. */
interface State {
  /** The text that ends it. */
  until: string
  kind: 'comment' | 'string' | ''
}

const TOKENS: Readonly<Record<TokenKind, string>> = {
  keyword: 'keyword',
  function: 'function',
  name: 'name',
  constant: 'constant',
}

const NUMBER = /^(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/
const WORD = /^[\p{L}_@][\p{L}\p{N}_@]*/u

type Stream = Parameters<Parameters<typeof StreamLanguage.define>[0]['token']>[0]

/** The colours and comments of a language, as an extension of the editor. */
export function codeLanguage(language: CodeLanguage): Extension {
  const { lineComment, blockComment } = language
  const commentTokens = {
    ...(lineComment === undefined ? {} : { line: lineComment }),
    ...(blockComment === undefined
      ? {}
      : { block: { open: blockComment[0], close: blockComment[1] } }),
  }
  const parser = StreamLanguage.define<State>({
    startState: () => ({ until: '', kind: '' }),
    token: (stream, state) => tokenOf(language, stream, state),
    languageData: { commentTokens },
    tokenTable: { function: tags.function(tags.name), constant: tags.bool },
  })
  return [parser, syntaxHighlighting(colours)]
}

function tokenOf(language: CodeLanguage, stream: Stream, state: State): string | null {
  const { lineComment, blockComment, quotes = '' } = language
  if (state.kind !== '') return restOf(stream, state)
  if (stream.eatSpace()) return null
  if (lineComment !== undefined && stream.match(lineComment)) {
    stream.skipToEnd()
    return 'comment'
  }
  if (blockComment !== undefined && stream.match(blockComment[0])) {
    Object.assign(state, { kind: 'comment', until: blockComment[1] })
    return restOf(stream, state)
  }
  const first = stream.peek() ?? ''
  if (first !== '' && quotes.includes(first)) {
    stream.next()
    Object.assign(state, { kind: 'string', until: first })
    return restOf(stream, state)
  }
  if (stream.match(NUMBER)) return 'number'
  const word = stream.match(WORD)
  if (word !== null && typeof word === 'object') {
    const kind = language.kindOf?.(word[0])
    return kind === undefined ? null : TOKENS[kind]
  }
  stream.next()
  return null
}

/** What is open, up to where it ends or the line does. */
function restOf(stream: Stream, state: State): string {
  const { kind, until } = state
  const end = stream.string.indexOf(until, stream.pos)
  if (end < 0) stream.skipToEnd()
  else {
    stream.pos = end + until.length
    state.kind = ''
  }
  return kind === 'string' ? 'string' : 'comment'
}

const colours = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--ink-soft)', fontStyle: 'italic' },
  { tag: tags.keyword, color: 'var(--series-7)', fontWeight: '600' },
  { tag: tags.function(tags.name), color: 'var(--accent)' },
  { tag: [tags.number, tags.bool], color: 'var(--series-2)' },
  { tag: tags.string, color: 'var(--series-3)' },
  { tag: tags.name, color: 'var(--series-1)' },
])
