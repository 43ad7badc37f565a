/** GS SQL for the editor: its colours, and what can be written at a place. */
import { call } from '../../api/client.ts'
import type { Schema } from '../../api/paths.ts'
import type {
  CodeLanguage,
  Complete,
  Suggestion,
  TokenKind,
  TypingPlace,
} from '../../ui/editor/editor-types.ts'

export type GqlLanguage = Schema<'GqlLanguage'>

/** Components whose IDs, and whose streams' IDs, are offered. */
const COMPONENTS_MAX = 20
const OPENED_MAX = 5
const STREAMS_MAX = 100

/** How GS SQL is coloured; before its words are known, its texts and comments. */
export function languageOf(words: GqlLanguage | undefined): CodeLanguage {
  const kinds = new Map<string, TokenKind>()
  const add = (names: readonly string[], kind: TokenKind) => {
    for (const name of names) kinds.set(name.toLowerCase(), kind)
  }
  if (words !== undefined) {
    add(namesOf(words.functions), 'function')
    add(words.keywords, 'keyword')
    add(['null', 'true', 'false'], 'constant')
    add(namesOf(words.tables), 'name')
  }
  const columns = new Set(words?.tables.flatMap((table) => namesOf(table.columns)))
  const kindOf = (word: string) => {
    // A column may be called as a table is: in its own spelling it is the column.
    if (columns.has(word) && !words?.tables.some(({ name }) => name === word)) return undefined
    return word.startsWith('@') ? 'name' : kinds.get(word.toLowerCase())
  }
  return {
    lineComment: '--',
    blockComment: ['/*', '*/'],
    quotes: '\'"',
    kindOf,
  }
}

const namesOf = (entries: ReadonlyArray<{ readonly name: string }>) =>
  entries.map(({ name }) => name)

/** What can be written: IDs within quotes, else words, functions, tables, columns and variables. */
export function completionOf(words: GqlLanguage | undefined): Complete {
  const known = words === undefined ? [] : suggestionsOf(words)
  return async (place) => {
    const quoted = quotedBefore(place)
    if (quoted === undefined) return [...known, ...ownNames(place, words)]
    return quoted.length < 1 && !place.isAsked ? [] : await idsLike(quoted, place.word)
  }
}

function suggestionsOf({ keywords, functions, tables, variables }: GqlLanguage): Suggestion[] {
  const columns = new Map<string, string[]>()
  for (const { name: table, columns: own } of tables) {
    for (const { name } of own) {
      const spelling = [...columns.keys()].find((one) => one.toLowerCase() === name.toLowerCase())
      columns.set(spelling ?? name, [...(columns.get(spelling ?? name) ?? []), table])
    }
  }
  return [
    ...tables.map(({ name }) => ({ label: name, detail: 'table', rank: 20 })),
    ...[...columns].map(([label, of]) => ({ label, detail: `of ${of.join(', ')}`, rank: 10 })),
    ...variables.map(({ name }) => ({ label: name, detail: 'variable' })),
    ...keywords.map((label) => ({ label, detail: 'keyword', rank: 5 })),
    ...functions.map(({ name, signature, help, example }) => ({
      label: name,
      detail: signature.slice(name.length),
      help: `${help}\n${example}`,
      insert: `${name}()`,
      caretBack: signature.endsWith('()') ? 0 : 1,
    })),
  ]
}

/** Names behind AS, WITH and FROM, and variables, of the text itself. */
function ownNames({ text, at, word }: TypingPlace, words: GqlLanguage | undefined): Suggestion[] {
  const known = new Set(words?.keywords.map((one) => one.toLowerCase()))
  const names = new Set<string>()
  for (const [, name] of text.matchAll(/(?:\bAS\s+|\bWITH\s+|,\s*)([\p{L}_][\p{L}\p{N}_]*)/giu)) {
    names.add(name)
  }
  for (const [name] of text.matchAll(/@[\p{L}\p{N}_]+/gu)) names.add(name)
  names.delete(text.slice(at - word.length, at))
  return [...names]
    .filter((name) => !known.has(name.toLowerCase()))
    .slice(0, COMPONENTS_MAX)
    .map((label) => ({ label, detail: 'of this text' }))
}

/** What of a quoted text stands before the caret; undefined: it is in none. */
export function quotedBefore({ text, at }: Pick<TypingPlace, 'text' | 'at'>): string | undefined {
  const before = text.slice(0, at)
  const open = /'(?:[^']|'')*'|"[^"]*"|--[^\n]*(?:\n|$)|\/\*[\s\S]*?(?:\*\/|$)/g
  const rest = before.replace(open, (found) => ' '.repeat(found.length))
  const quote = rest.lastIndexOf("'")
  return quote < 0 ? undefined : before.slice(quote + 1)
}

/** IDs of components, and of the streams of the first of them, that a text begins. */
async function idsLike(quoted: string, word: string): Promise<Suggestion[]> {
  const query = { limit: COMPONENTS_MAX, ...(quoted.trim() === '' ? {} : { search: quoted }) }
  const { component } = await call('get', '/api/component', { query })
  const found = component.length > 0 ? component : await firstComponents()
  const streams = await Promise.all(
    found.slice(0, OPENED_MAX).map(async ({ uid: componentUid, id: of }) => {
      const { stream } = await call('get', '/api/component/{componentUid}/stream', {
        path: { componentUid },
      })
      return stream.slice(0, STREAMS_MAX).map(({ id }) => ({ id, detail: `stream of ${of}` }))
    }),
  )
  const all = [
    ...found.map(({ id, name }) => ({ id, detail: `component ${name}`.trim() })),
    ...streams.flat(),
  ]
  const seen = new Set<string>()
  return all.flatMap(({ id, detail }) => {
    const isFit = id !== '' && id.toLowerCase().startsWith(quoted.toLowerCase()) && !seen.has(id)
    seen.add(id)
    const escaped = id.replaceAll("'", "''").slice(quoted.length - word.length)
    return isFit ? [{ label: id, detail, insert: escaped }] : []
  })
}

async function firstComponents() {
  const { component } = await call('get', '/api/component', { query: { limit: COMPONENTS_MAX } })
  return component
}
