import { call } from '../api/client.ts'
import { missingWords } from './match-words.ts'
import { isLabel, searchLabel } from './search-label.ts'
import type { ComponentName, StreamName } from './stream-name.ts'

/** Searches for parts of the words, and components that they open, in one go. */
const SEARCHES_MAX = 12
const OPENED_EACH = 8
const OPENED_MAX = 24

/** Who types on asks something else: these searches begin when the fingers rest. */
const REST_MS = 150

/** The streams of components whose names, together with those of the component, hold all words. */
export async function streamsIn(
  components: readonly ComponentName[],
  words: readonly string[],
  signal: AbortSignal,
): Promise<StreamName[]> {
  const found = await Promise.all(
    components.map(async (component) => {
      const { folder, name, id } = component
      const missing = missingWords(`${folder} ${name} ${id}`, words)
      const path = { componentUid: component.uid }
      const { stream } = await call('get', '/api/component/{componentUid}/stream', { path, signal })
      return stream
        .filter((one) => missingWords(`${one.name} ${one.id}`, missing).length === 0)
        .map((one) => ({ component, uid: one.uid, id: one.id, name: one.name }))
    }),
  )
  return found.flat()
}

/** Streams that were found. */
export interface FoundStreams {
  readonly streams: readonly StreamName[]
  /** Whether components were left that may have such streams: a word of the component finds them. */
  readonly isPart: boolean
}

/**
 * The streams that the words name where no component has them all: some name the component, the others
 * its stream. As few as possible are left to the stream, the last ones first. A text such as `site=north` is a label.
 */
export async function findStreams(
  words: readonly string[],
  signal: AbortSignal,
): Promise<FoundStreams> {
  await rest(signal)
  const text = words.join(' ')
  if (isLabel(text)) return await searchLabel(text, OPENED_MAX, signal)
  const seen = new Set<string>()
  let searches = 0
  let isPart = false
  for (let count = words.length - 1; count >= 0; count -= 1) {
    const streams: StreamName[] = []
    for (const some of choicesOf(words, count)) {
      if (searches === SEARCHES_MAX || seen.size >= OPENED_MAX) return { streams, isPart: true }
      searches += 1
      const found = await search(some, signal)
      isPart ||= found.isPart
      const components = found.components.filter(({ uid }) => !seen.has(uid))
      for (const { uid } of components) seen.add(uid)
      streams.push(...(await streamsIn(components, words, signal)))
    }
    if (streams.length > 0) return { streams, isPart }
  }
  return { streams: [], isPart }
}

/**
 * The streams that the words name, by themselves or together with their component, those first whose own names
 * have all words; `components` are those that have all words in their names.
 */
export async function streamsNamed(
  words: readonly string[],
  components: readonly ComponentName[],
  signal: AbortSignal,
): Promise<FoundStreams> {
  const found = await findStreams(words, signal)
  const below = await streamsIn(components, words, signal)
  const known = new Map([...found.streams, ...below].map((one) => [one.uid, one]))
  const missing = ({ name, id }: StreamName) => missingWords(`${name} ${id}`, words).length
  const streams = [...known.values()].sort((one, other) => missing(one) - missing(other))
  return { streams, isPart: found.isPart }
}

async function search(words: readonly string[], signal: AbortSignal) {
  // Without a word about the component the first of them are looked through.
  const limit = words.length === 0 ? OPENED_MAX : OPENED_EACH
  const query = { limit, ...(words.length === 0 ? {} : { search: words.join(' ') }) }
  const { component, totalCount } = await call('get', '/api/component', { query, signal })
  return { components: component as ComponentName[], isPart: totalCount > component.length }
}

/** Every choice of `count` words, in their order; the first words first. */
function* choicesOf(words: readonly string[], count: number): Generator<string[]> {
  if (count === 0) return yield []
  for (const [at, word] of words.slice(0, words.length - count + 1).entries()) {
    for (const more of choicesOf(words.slice(at + 1), count - 1)) yield [word, ...more]
  }
}

function rest(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, REST_MS)
    signal.addEventListener('abort', stop, { once: true })
  })
}
