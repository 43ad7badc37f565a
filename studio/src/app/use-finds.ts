import { call } from '../api/client.ts'
import { useRole } from '../api/session.ts'
import { useQuery } from '../api/use-query.ts'
import { missingWords, wordsOf } from './match-words.ts'
import { findPage, pageEntries } from './page-map.ts'
import { componentPath, streamPath } from './paths.ts'
import { pathTo } from './place.ts'
import type { ComponentName } from './stream-name.ts'

/** A place that a search found. */
export interface Find {
  readonly kind: 'Page' | 'Component' | 'Stream' | 'Board'
  readonly label: string
  /** The text that distinguishes it from others of its name. */
  readonly detail: string
  readonly to: string
}

const SHOWN_MAX = 12
/** Components whose streams are looked through as well. */
const OPENED_MAX = 4

/** What a search has found so far. */
interface Found {
  readonly finds: readonly Find[]
  readonly note: string
  /** More may come. */
  readonly isSearching: boolean
}

/** What the words of a search find: pages, boards, components, and streams of the components they name. */
export function useFinds(text: string): Found {
  const words = wordsOf(text)
  const whole = useComponents(words)
  const streams = useStreams(words, whole)
  const boards = useBoards(words)
  const finds = [
    ...usePages(words),
    ...whole.components.map(showComponent),
    ...streams.finds,
    ...boards.finds,
  ].filter(({ to }) => findPage(to) !== undefined)
  const isCut = whole.totalCount > SHOWN_MAX
  const note = isCut ? `${whole.totalCount} components match. Type more to narrow the search.` : ''
  const isSearching = whole.isSearching || streams.isSearching || boards.isSearching
  return { finds: finds.slice(0, SHOWN_MAX), note, isSearching }
}

interface FoundComponents {
  readonly components: readonly ComponentName[]
  readonly totalCount: number
  readonly isSearching: boolean
}

function useComponents(words: readonly string[]): FoundComponents {
  const search = words.join(' ')
  const { data, error } = useQuery(
    ['component', 'search', search],
    async (signal) => {
      const query = { search, limit: SHOWN_MAX }
      return { search, ...(await call('get', '/api/component', { query, signal })) }
    },
    { isOff: search === '', keepPrevious: true },
  )
  if (search === '') return { components: [], totalCount: 0, isSearching: false }
  if (data?.search === search) {
    return { components: data.component, totalCount: data.totalCount, isSearching: false }
  }
  // Of what was found before, that stays which has the words too: nothing blinks.
  const components = (data?.component ?? []).filter(
    ({ name, id, folder }) => missingWords(`${folder} ${name} ${id}`, words).length === 0,
  )
  return { components, totalCount: 0, isSearching: error === undefined }
}

function showComponent({ uid, name, id, folder }: ComponentName): Find {
  const place = folder.replace(/^\/Components\/?/, '')
  const detail = [place, id === name ? '' : id].filter((part) => part !== '').join(' · ')
  return { kind: 'Component', label: name || id || uid, detail, to: componentPath(uid) }
}

/** Streams of the components that have all words; where none has, of those that have some of them. */
function useStreams(words: readonly string[], { components, isSearching }: FoundComponents) {
  const opened = components.slice(0, OPENED_MAX)
  const isOff = words.length === 0 || isSearching
  const { data, error } = useQuery(
    ['stream', 'search', words.join(' '), ...opened.map(({ uid }) => uid)],
    async (signal) => {
      const { findStreams, streamsIn } = await import('./find-streams.ts')
      if (opened.length > 0) return await streamsIn(opened, words, signal)
      return (await findStreams(words, signal)).streams
    },
    { isOff },
  )
  const finds = (data ?? []).map(
    ({ component, uid, id, name }): Find => ({
      kind: 'Stream',
      label: name || id || uid,
      detail: component.name || component.id,
      to: streamPath(component.uid, uid),
    }),
  )
  return { finds, isSearching: !isOff && data === undefined && error === undefined }
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

function useBoards(words: readonly string[]) {
  const isOff = words.length === 0 || findPage('/boards/x') === undefined
  const { data, error } = useQuery(
    ['dashboard', 'names'],
    (signal) => call('get', '/api/dashboard', { query: { limit: 1_000 }, signal }),
    { isOff },
  )
  const finds = (data?.dashboard ?? [])
    .filter(({ name, id }) => missingWords(`${name} ${id}`, words).length === 0)
    .map(
      ({ uid, name }): Find => ({
        kind: 'Board',
        label: name,
        detail: '',
        to: pathTo('boards', uid),
      }),
    )
  return { finds, isSearching: !isOff && data === undefined && error === undefined }
}
