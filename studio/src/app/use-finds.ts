import { call } from '../api/client.ts'
import type { Schema } from '../api/paths.ts'
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

type ComponentName = Pick<Schema<'Component'>, 'uid' | 'id' | 'name' | 'folder'>

const SHOWN_MAX = 12
/** Components whose streams are looked through as well. */
const OPENED_MAX = 4

/** What the words of a search find: pages, boards, components, and streams of the components they name. */
export function useFinds(text: string): { readonly finds: readonly Find[]; readonly note: string } {
  const words = wordsOf(text)
  const whole = useComponents(words)
  // The last word may name a stream of what the others name.
  const before = useComponents(words.slice(0, -1))
  const opened = whole.components.length > 0 ? whole.components : before.components
  const streams = useStreams(opened.slice(0, OPENED_MAX), words)
  const finds = [
    ...usePages(words),
    ...whole.components.map(showComponent),
    ...streams,
    ...useBoards(words),
  ].filter(({ to }) => findPage(to) !== undefined)
  const isCut = whole.totalCount > SHOWN_MAX
  const note = isCut ? `${whole.totalCount} components have this in their names: type more.` : ''
  return { finds: finds.slice(0, SHOWN_MAX), note }
}

function useComponents(words: readonly string[]) {
  const search = words.join(' ')
  const { data } = useQuery(
    ['component', 'search', search],
    (signal) => call('get', '/api/component', { query: { search, limit: SHOWN_MAX }, signal }),
    { isOff: search === '', keepPrevious: true },
  )
  const isAsked = search !== '' && data !== undefined
  return isAsked
    ? { components: data.component, totalCount: data.totalCount }
    : { components: [], totalCount: 0 }
}

function missingIn({ name, id, folder }: ComponentName, words: readonly string[]): string[] {
  return missingWords(`${folder} ${name} ${id}`, words)
}

function showComponent({ uid, name, id, folder }: ComponentName): Find {
  const place = folder.replace(/^\/Components\/?/, '')
  const detail = [place, id === name ? '' : id].filter((part) => part !== '').join(' · ')
  return { kind: 'Component', label: name || id || uid, detail, to: componentPath(uid) }
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
    { isOff: uids.length === 0 },
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
    .flatMap(({ title, path, nav }) =>
      title === undefined ? [] : [{ title, path, order: nav?.order ?? 0 }],
    )
    .filter(({ title }) => missingWords(title, words).length === 0)
    .sort((a, b) => a.order - b.order)
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
