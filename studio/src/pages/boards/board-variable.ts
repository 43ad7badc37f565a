/** One board for many components: streams of one are replaced by those of the component that is chosen. */
import { useMemo, useRef, useState } from 'react'
import { call } from '../../api/client.ts'
import { useQuery } from '../../api/use-query.ts'
import { useAddress } from '../../app/place.ts'
import { useQuiet } from '../../ui/use-quiet.ts'
import type { Dashboard, Panel } from './board-types.ts'
import { readComponentName } from './panels/stream-facts.ts'

/** More components than anyone chooses from a list. */
const CHOICES_MAX = 1_000
const STREAMS_MAX = 1_000

/** The choice of a board with a variable. */
export interface BoardChoice {
  /** The components to choose from, by name; the component of the board is one of them. */
  readonly choices: readonly { readonly value: string; readonly label: string }[]
  /** How many components there are, also beyond these. */
  readonly totalCount: number
  /** The words that limit the choices. */
  readonly text: string
  /** The only component that the words find; undefined while they are looked up. */
  readonly only: string | undefined
  readonly chosen: string
  /** The panels with the streams of the chosen component; those of the one before while they are read. */
  readonly panels: readonly Panel[]
  readonly error: string | undefined
  choose(componentUid: string): void
  setText(text: string): void
}

/** Device 2 comes before device 10. */
const BY_NAME = new Intl.Collator('en', { numeric: true })

/** What the address chooses of a board with a variable; undefined without one. */
export function useBoardChoice(
  { variable, panels = [] }: Dashboard,
  isOff: boolean,
): BoardChoice | undefined {
  const { query, change } = useAddress()
  const base = variable?.componentUid ?? ''
  const chosen = query.get('component') || base
  const [text, setText] = useState('')
  const asked = useQuiet(text.trim())
  const { isCurrent, ...listed } = useChoices(variable, asked, isOff)
  const name = useName(chosen, isOff || listed.choices.some(({ value }) => value === chosen))
  const isBase = chosen === base
  const before = useStreamIds(base, isOff || isBase)
  const after = useStreamIds(chosen, isOff || isBase)
  const shown = useMemo(() => {
    if (isBase) return panels
    if (before.ids === undefined || after.ids === undefined) return undefined
    return replaced(panels, { base, before: before.ids, chosen, after: after.ids })
  }, [panels, isBase, base, before.ids, chosen, after.ids])
  const last = useRef<readonly Panel[]>([])
  if (shown !== undefined) last.current = shown
  if (!variable || isOff) return undefined
  return {
    ...listed,
    text,
    only:
      isCurrent && asked === text.trim() && listed.totalCount === 1
        ? listed.choices[0]?.value
        : undefined,
    setText,
    // A link may choose one beyond the list.
    choices:
      name === undefined ? listed.choices : [{ value: chosen, label: name }, ...listed.choices],
    chosen,
    panels: last.current,
    error: before.error ?? after.error ?? listed.error,
    choose: (uid) => change({ component: uid === base ? undefined : uid }, { step: true }),
  }
}

function useChoices(variable: Dashboard['variable'], text: string, isOff: boolean) {
  const { componentUid = '', template = '', folder = '', label = '' } = variable ?? {}
  const { data, error } = useQuery(
    ['component', 'choices', template, folder, label, text],
    async (signal) => {
      const query = {
        limit: CHOICES_MAX,
        ...(template === '' ? {} : { template }),
        ...(folder === '' ? {} : { folder }),
        ...(label === '' ? {} : { label }),
        ...(text === '' ? {} : { text }),
      }
      return { text, ...(await call('get', '/api/device', { query, signal })) }
    },
    { isOff: isOff || componentUid === '', keepPrevious: true },
  )
  const { device = [], totalCount = 0 } = data ?? {}
  const choices = device.map(({ uid, name, id }) => ({ value: uid, label: name || id || uid }))
  choices.sort((one, other) => BY_NAME.compare(one.label, other.label))
  return { choices, totalCount, isCurrent: data?.text === text, error: error?.message }
}

/** The name of a component; undefined while it is read. */
function useName(uid: string, isOff: boolean): string | undefined {
  const key = ['component', 'name', uid]
  const { data } = useQuery(key, () => readComponentName(uid), { isOff: isOff || uid === '' })
  return isOff || data === undefined ? undefined : data || uid
}

/** The IDs of the streams of a component, by UID. */
function useStreamIds(componentUid: string, isOff: boolean) {
  const { data, error } = useQuery(
    ['stream', componentUid, 'ids'],
    async (signal) => {
      const path = { componentUid }
      const query = { limit: STREAMS_MAX }
      const address = '/api/component/{componentUid}/stream'
      const { stream } = await call('get', address, { path, query, signal })
      return new Map(stream.map(({ uid, id }) => [uid, id]))
    },
    { isOff: isOff || componentUid === '' },
  )
  return { ids: data, error: error?.message }
}

interface Replacement {
  readonly base: string
  readonly before: ReadonlyMap<string, string>
  readonly chosen: string
  readonly after: ReadonlyMap<string, string>
}

/** Panels in which streams of one component are replaced by those of another with the same IDs. */
export function replaced(
  panels: readonly Panel[],
  { base, before, chosen, after }: Replacement,
): Panel[] {
  const uidOf = new Map([...after].map(([uid, id]) => [id, uid]))
  return panels.map((panel) => ({
    ...panel,
    streams: panel.streams.flatMap((stream) => {
      if (stream.componentUid !== base) return [stream]
      const streamUid = uidOf.get(before.get(stream.streamUid) ?? '')
      return streamUid === undefined ? [] : [{ componentUid: chosen, streamUid }]
    }),
  }))
}
