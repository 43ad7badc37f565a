import { call } from '../api/client.ts'
import type { Schema } from '../api/paths.ts'
import { missingWords } from './match-words.ts'

/** What names a component. */
export type ComponentName = Pick<Schema<'Component'>, 'uid' | 'id' | 'name' | 'folder'>

/** A stream that a search found, and where it is. */
export interface StreamName {
  readonly component: ComponentName
  readonly uid: string
  readonly id: string
  readonly name: string
}

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

/**
 * The streams that the words name where no component has them all: some name the component, the others
 * its stream. As few as possible are left to the stream, the last ones first.
 */
export async function findStreams(
  words: readonly string[],
  signal: AbortSignal,
): Promise<StreamName[]> {
  await rest(signal)
  const seen = new Set<string>()
  let searches = 0
  for (let count = words.length - 1; count >= 0; count -= 1) {
    const found: StreamName[] = []
    for (const some of choicesOf(words, count)) {
      if (searches === SEARCHES_MAX || seen.size >= OPENED_MAX) return found
      searches += 1
      const components = (await search(some, signal)).filter(({ uid }) => !seen.has(uid))
      for (const { uid } of components) seen.add(uid)
      found.push(...(await streamsIn(components, words, signal)))
    }
    if (found.length > 0) return found
  }
  return []
}

async function search(words: readonly string[], signal: AbortSignal): Promise<ComponentName[]> {
  const query = { limit: OPENED_EACH, ...(words.length === 0 ? {} : { search: words.join(' ') }) }
  const { component, totalCount } = await call('get', '/api/component', { query, signal })
  // Without a word about the component only few of them can be looked through, or none.
  return words.length === 0 && totalCount > OPENED_EACH ? [] : component
}

/** Every choice of so many words, in their order; the first words first. */
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
