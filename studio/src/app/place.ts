/** Where the person is: the path and query of the address bar, as a store that components follow. */
import { useMemo, useSyncExternalStore } from 'react'
import { ownPath } from '../api/base-path.ts'
import { inAddress } from '../api/organization.ts'

const listeners = new Set<() => void>()
const notify = () => {
  for (const listener of listeners) listener()
}
addEventListener('popstate', notify)

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** How one goes to a place. */
interface Going {
  /** Leaves no step to go back to. */
  readonly replace?: boolean
  /**
   * Data kept with the history entry, for `stepNotes`. Without it, an entry for the same page keeps the previous data.
   */
  readonly notes?: unknown
}

/** Goes to a path of the studio, in the organization that is shown. */
export function navigate(to: string, { replace = false, notes }: Going = {}): void {
  const address = new URL(inAddress(to), location.href)
  if (address.href === location.href) return
  const isSamePage = address.pathname === location.pathname
  const kept = notes ?? (isSamePage ? stepNotes() : undefined) ?? null
  if (replace) history.replaceState(kept, '', address)
  else push(kept, address)
  notify()
}

/** Browsers refuse steps that come by the hundred: those are passed over by the Back button. */
function push(notes: unknown, address: URL): void {
  try {
    history.pushState(notes, '', address)
  } catch {
    history.replaceState(notes, '', address)
  }
}

/** What was kept with the step that is shown; of unknown shape, as a browser may have kept it for long. */
export function stepNotes(): unknown {
  return history.state
}

/** A place in the studio. */
export interface Place {
  /** As the address bar has it, with escapes. */
  readonly path: string
  readonly query: URLSearchParams
}

/** The place that is shown. */
export function usePlace(): Place {
  const path = useSyncExternalStore(subscribe, ownPath)
  const search = useSyncExternalStore(subscribe, () => location.search)
  return useMemo(() => ({ path, query: new URLSearchParams(search) }), [path, search])
}

/** What of the view is in the address, and a way to change it. */
export interface Address {
  readonly query: URLSearchParams
  /**
   * Sets parameters; undefined and blank ones are removed. Without `step` the Back button skips the change. The address
   * at the time of the call is changed, so successive changes add up.
   */
  change(
    changes: Readonly<Record<string, string | undefined>>,
    options?: { readonly step?: boolean; readonly notes?: unknown },
  ): void
}

/** The query of the address as state: what is seen can be sent to a colleague. */
export function useAddress(): Address {
  const { query } = usePlace()
  return useMemo(() => ({ query, change: changeAddress }), [query])
}

function changeAddress(
  changes: Readonly<Record<string, string | undefined>>,
  { step = false, notes }: { readonly step?: boolean; readonly notes?: unknown } = {},
): void {
  const query = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') query.delete(name)
    else query.set(name, value)
  }
  const text = query.toString()
  const search = text === '' ? '' : `?${text}`
  navigate(`${ownPath()}${search}${location.hash}`, { replace: !step, notes })
}

/** Puts a text behind the `#` of the address, where no server reads it; the Back button skips the change. */
export function writeFragment(text: string): void {
  const fragment = text === '' ? '' : `#${encodeURIComponent(text)}`
  const address = `${location.pathname}${location.search}${fragment}`
  history.replaceState(stepNotes(), '', address)
}

/** The text behind the `#` of the address; blank without one that can be read. */
export function readFragment(): string {
  return decode(location.hash.slice(1)) ?? ''
}

/** The parts of a path that match a pattern such as `/c/:component/:stream`; undefined: it does not. */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/')
  const given = path.replace(/(.)\/$/, '$1').split('/')
  if (wanted.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [at, part] of wanted.entries()) {
    if (part.startsWith(':')) {
      const value = decode(given[at])
      if (value === undefined || value === '') return undefined
      params[part.slice(1)] = value
    } else if (part !== given[at]) return undefined
  }
  return params
}

function decode(text: string): string | undefined {
  try {
    const part = decodeURIComponent(text)
    return part.startsWith('~') && DOTS.test(part) ? part.slice(1) : part
  } catch {
    return undefined
  }
}

/** A path of the studio from parts that may hold any character: `pathTo('c', compId, streamId)`. */
export function pathTo(...parts: readonly string[]): string {
  return `/${parts.map(encodePart).join('/')}`
}

/** Browsers take `.` and `..` for steps through folders, escaped or not: a `~` before them says they are names. */
const DOTS = /^~*\.\.?$/

function encodePart(part: string): string {
  return DOTS.test(part) ? `~${part}` : encodeURIComponent(part)
}
