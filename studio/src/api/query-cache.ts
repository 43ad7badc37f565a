import { type ApiError, asApiError } from './api-error.ts'
import { onFound } from './connection.ts'

/** What names a query: the first parts say what it reads, so that `invalidate` can name many at once. */
export type QueryKey = ReadonlyArray<string | number | boolean | undefined>

/** What is known of a query. */
export interface QueryState<T> {
  readonly data: T | undefined
  readonly error: ApiError | undefined
  readonly isLoading: boolean
}

interface Entry {
  readonly key: QueryKey
  state: QueryState<unknown>
  isStale: boolean
  /** When it was last known, by the page's own clock. */
  knownAtMs: number
  running: AbortController | undefined
  /** What was put since the running fetch began: its answer may not know of it, and gets it too. */
  changes: Array<(before: unknown) => unknown>
  readonly listeners: Set<() => void>
}

/** What nobody has shown for so long is shown as it was, and asked for again: others may have changed it. */
const FRESH_MS = 10_000

/** Queries whose answers are kept although no page shows them. */
const KEPT_MAX = 300

/** Changes that are kept for the answer of a running fetch; of more than these it is asked for again. */
const CHANGES_MAX = 1_000

const EMPTY: QueryState<never> = { data: undefined, error: undefined, isLoading: false }

/** Answers of the service by key, shared by all components, with bounded memory. */
export class QueryCache {
  readonly #entries = new Map<string, Entry>()
  readonly #now: () => number

  /** `now` returns the milliseconds of a monotonic clock. */
  constructor(now = () => performance.now()) {
    this.#now = now
    onFound(() => this.invalidate([]))
  }

  /** What is known of a query at this moment. */
  peek<T>(key: QueryKey): QueryState<T> {
    const entry = this.#entries.get(textOf(key))
    return (entry?.state ?? EMPTY) as QueryState<T>
  }

  /** Follows a query, fetching it when nobody has or it is stale; answers how to stop. */
  follow<T>(
    key: QueryKey,
    fetcher: (signal: AbortSignal) => Promise<T>,
    listener: () => void,
  ): () => void {
    const entry = this.#entryOf(key)
    const isOld = this.#now() - entry.knownAtMs > FRESH_MS
    if (entry.listeners.size === 0 && isOld) entry.isStale = true
    const look = () => {
      if (entry.isStale && entry.running === undefined) void this.#fetch(entry, fetcher)
      listener()
    }
    entry.listeners.add(look)
    look()
    return () => {
      entry.listeners.delete(look)
      if (entry.listeners.size === 0 && entry.running !== undefined) stop(entry)
      this.#trim()
    }
  }

  /**
   * Makes every query whose key begins so stale: what is shown is fetched again, the rest when it is shown. What
   * names a UID that is gone is not asked for by a page that still shows it on the way to another.
   */
  invalidate(beginning: QueryKey, goneUid?: string): void {
    for (const entry of this.#entries.values()) {
      if (!beginning.every((part, at) => entry.key[at] === part)) continue
      stop(entry)
      if (goneUid !== undefined && entry.key.some((part) => String(part).includes(goneUid)))
        continue
      for (const look of [...entry.listeners]) look()
    }
  }

  /**
   * Puts an answer that is known otherwise, such as that of a change or of live news. A fetch that runs began
   * before: in place of its answer an answer stays, a function is applied to it as well.
   */
  put<T>(key: QueryKey, change: T | ((before: T | undefined) => T)): void {
    const entry = this.#entryOf(key)
    const isFunction = typeof change === 'function'
    if (!isFunction) stop(entry)
    else if (entry.running !== undefined && entry.changes.length <= CHANGES_MAX) {
      entry.changes.push(change as (before: unknown) => unknown)
    }
    const before = entry.state.data as T | undefined
    const data = isFunction ? (change as (now: T | undefined) => T)(before) : change
    // What a function makes of a stale answer is as stale.
    if (!isFunction) {
      entry.isStale = false
      entry.knownAtMs = this.#now()
    }
    entry.state = { data, error: undefined, isLoading: entry.running !== undefined }
    for (const look of [...entry.listeners]) look()
  }

  /** Forgets an answer that nobody follows, for those that are too big to be kept like others. */
  drop(key: QueryKey): void {
    const text = textOf(key)
    if (this.#entries.get(text)?.listeners.size === 0) this.#entries.delete(text)
  }

  /** Forgets everything, for who signs out. */
  clear(): void {
    for (const { running } of this.#entries.values()) running?.abort()
    this.#entries.clear()
  }

  #entryOf(key: QueryKey): Entry {
    const text = textOf(key)
    const found = this.#entries.get(text)
    // The one used last is the last to go.
    this.#entries.delete(text)
    const made = {
      key,
      state: EMPTY,
      isStale: true,
      knownAtMs: 0,
      running: undefined,
      changes: [],
      listeners: new Set<() => void>(),
    }
    const entry: Entry = found ?? made
    this.#entries.set(text, entry)
    return entry
  }

  async #fetch<T>(entry: Entry, fetcher: (signal: AbortSignal) => Promise<T>): Promise<void> {
    const running = new AbortController()
    entry.running = running
    entry.changes = []
    entry.isStale = false
    entry.state = { ...entry.state, isLoading: true }
    let next: QueryState<unknown>
    try {
      const answer: unknown = await fetcher(running.signal)
      const data = entry.changes.reduce((before, change) => change(before), answer)
      next = { data, error: undefined, isLoading: false }
    } catch (error) {
      // The last good answer stays: what is shown must not go away because the network did.
      next = { data: entry.state.data, error: asApiError(error), isLoading: false }
    }
    // The code that stopped it has set the state instead.
    if (entry.running !== running || running.signal.aborted) return
    entry.running = undefined
    entry.knownAtMs = this.#now()
    entry.isStale = entry.changes.length > CHANGES_MAX
    entry.changes = []
    entry.state = next
    for (const look of [...entry.listeners]) look()
  }

  #trim(): void {
    for (const [text, entry] of this.#entries) {
      if (this.#entries.size <= KEPT_MAX) return
      if (entry.listeners.size === 0) this.#entries.delete(text)
    }
  }
}

/** Gives a running fetch up; what is known stays, and is asked for when somebody looks. */
function stop(entry: Entry): void {
  entry.isStale = true
  if (entry.running === undefined) return
  entry.running.abort()
  entry.running = undefined
  entry.changes = []
  entry.state = { ...entry.state, isLoading: false }
}

function textOf(key: QueryKey): string {
  return JSON.stringify(key.map((part) => part ?? null))
}

/** The one cache of the studio. */
export const queries = new QueryCache()
