import { call } from '../api/client.ts'
import { type ComponentName, readComponentNames } from '../api/component-names.ts'
import { useRole } from '../api/session.ts'
import { useQuery } from '../api/use-query.ts'
import { missingWords, wordsOf } from './match-words.ts'
import { findPage, pageEntries } from './page-map.ts'
import { componentPath, streamPath } from './paths.ts'
import { pathTo } from './place.ts'

/** A place that a search found. */
export interface Find {
  readonly kind: 'Page' | 'Component' | 'Stream' | 'Board'
  readonly label: string
  /** What tells it from others of its name. */
  readonly detail: string
  readonly to: string
}

const SHOWN_MAX = 12
/** Components whose streams are looked through as well. */
const OPENED_MAX = 4

/** What the words of a search find: pages, boards, components, and streams of the components they name. */
export function useFinds(text: string): { readonly finds: readonly Find[]; readonly note: string } {
  const words = wordsOf(text)
  const { data: names } = useQuery(['component', 'names'], readComponentNames)
  const components = names?.components ?? []
  const whole =
    words.length === 0 ? [] : components.filter((one) => missingIn(one, words).length === 0)
  const opened = openedFor(components, words)
  const streams = useStreams(opened, words)
  const finds = [
    ...usePages(words),
    ...whole.slice(0, SHOWN_MAX).map(showComponent),
    ...streams,
    ...useBoards(words),
  ].filter(({ to }) => findPage(to) !== undefined)
  const isCut = names !== undefined && names.totalCount > components.length
  const note = isCut
    ? `The first ${components.length} of ${names.totalCount} components were looked through.`
    : ''
  return { finds: finds.slice(0, SHOWN_MAX), note }
}

function missingIn({ name, id, folder }: ComponentName, words: readonly string[]): string[] {
  return missingWords(`${folder} ${name} ${id}`, words)
}

function showComponent({ uid, name, id, folder }: ComponentName): Find {
  const place = folder.replace(/^\/Components\/?/, '')
  const detail = [place, id === name ? '' : id].filter((part) => part !== '').join(' · ')
  return { kind: 'Component', label: name || id || uid, detail, to: componentPath(uid) }
}

/** The components that have the most words of the search, one at least: the others may name a stream. */
function openedFor(
  components: readonly ComponentName[],
  words: readonly string[],
): ComponentName[] {
  if (words.length === 0) return []
  return components
    .map((component) => ({ component, missing: missingIn(component, words).length }))
    .filter(({ missing }) => missing < words.length)
    .sort((a, b) => a.missing - b.missing)
    .slice(0, OPENED_MAX)
    .map(({ component }) => component)
}

function useStreams(opened: readonly ComponentName[], words: readonly string[]): Find[] {
  const uids = opened.map(({ uid }) => uid)
  const { data = [] } = useQuery(
    ['stream', 'names', ...uids],
    async (signal) =>
      await Promise.all(
        opened.map(async (component) => {
          const path = { componentUid: component.uid }
          const { stream } = await call('get', '/api/component/{componentUid}/stream', {
            path,
            signal,
          })
          return { component, streams: stream.map(({ uid, id, name }) => ({ uid, id, name })) }
        }),
      ),
    { isOff: uids.length === 0, keepPrevious: true },
  )
  return data.flatMap(({ component, streams }) => {
    const missing = missingIn(component, words)
    return streams
      .filter(({ name, id }) => missingWords(`${name} ${id}`, missing).length === 0)
      .map(
        ({ uid, id, name }): Find => ({
          ...{ kind: 'Stream', label: name || id || uid, detail: component.name },
          to: streamPath(component.uid, uid),
        }),
      )
  })
}

function usePages(words: readonly string[]): Find[] {
  const role = useRole()
  return pageEntries
    .filter(({ nav }) => nav?.roles === undefined || nav.roles.includes(role))
    .flatMap(({ title, path }) => (title === undefined ? [] : [{ title, path }]))
    .filter(({ title }) => missingWords(title, words).length === 0)
    .map(({ title, path }) => ({ kind: 'Page', label: title, detail: '', to: path }))
}

function useBoards(words: readonly string[]): Find[] {
  const isOff = words.length === 0 || findPage('/boards/x') === undefined
  const { data } = useQuery(
    ['dashboard', 'names'],
    (signal) => call('get', '/api/dashboard', { query: { limit: 1_000 }, signal }),
    { isOff },
  )
  return (data?.dashboard ?? [])
    .filter(({ name, id }) => missingWords(`${name} ${id}`, words).length === 0)
    .map(({ uid, name }) => ({ kind: 'Board', label: name, detail: '', to: pathTo('boards', uid) }))
}
