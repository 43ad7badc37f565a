/** What happens, as it happens: one connection of the page, which all that follow something share. */
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { asApiError } from './api-error.ts'
import { request } from './client.ts'
import { onFound } from './connection.ts'
import { type LiveEvent, LiveEventReader } from './live-events.ts'
import { leaveLivePlace, onFreePlace, onLostPlace, takeLivePlace } from './live-places.ts'

/** What a component follows: a component as a whole, some streams of it, or the catalog. */
export type LiveTopic =
  | { readonly compUid: string; readonly streamUids?: readonly string[] }
  | { readonly comp: string }
  | { readonly catalog: true }

/** Called with events that arrived together, in order. */
export type LiveListener = (events: readonly LiveEvent[]) => void

/** `off`: nothing is followed; `looking`: now and then, as other windows are live; `refused`: by the service. */
export type LiveState = 'off' | 'connecting' | 'live' | 'looking' | 'refused'

interface Follower {
  readonly topics: readonly LiveTopic[]
  readonly listener: LiveListener
  readonly isAll: boolean
}

/** Followers come and go together when a page is shown. */
const SETTLE_MS = 30
const FIRST_WAIT_MS = 1_000
const LAST_WAIT_MS = 15_000
/** How often a window without a place looks, for how long at most, and how long nothing may come before it has seen all. */
const LOOK_EVERY_MS = 5_000
const LOOK_MS_MAX = 2_000
const SILENCE_MS = 300

/**
 * Changes of the catalog have no cursor: those before a connection opened, or while none may open, are not reported.
 * With this event, its followers read everything again.
 */
const ANYTHING: LiveEvent = {
  event: 'catalog',
  data: { components: [], isMore: true, hasFolders: true, hasAlerts: true },
}

const followers = new Set<Follower>()
/** Followers that have not received the current state. */
const fresh = new Set<Follower>()
/** The last sample of each stream that is followed, for later followers. */
const lastSamples = new Map<string, LiveEvent>()
const stateListeners = new Set<() => void>()
let state: LiveState = 'off'
let opened = 0
let address = ''
let lastEventId: string | undefined
let running: AbortController | undefined
/** Connections that go on until the one in their place is open, and that one. */
const connections = new Set<AbortController>()
let settling: ReturnType<typeof setTimeout> | undefined

function setState(next: LiveState): void {
  if (state === next) return
  state = next
  for (const listener of stateListeners) listener()
}

/** Follows topics; `isAll` asks for every sample instead of the last of each moment. Answers how to stop. */
export function followLive(
  topics: readonly LiveTopic[],
  listener: LiveListener,
  { isAll = false }: { readonly isAll?: boolean } = {},
): () => void {
  const follower = { topics, listener, isAll }
  followers.add(follower)
  fresh.add(follower)
  settle()
  return () => {
    followers.delete(follower)
    fresh.delete(follower)
    settle()
  }
}

function settle(): void {
  clearTimeout(settling)
  settling = setTimeout(connectAnew, SETTLE_MS)
}

/** Connects when what is followed has changed; a page that nobody sees follows nothing. */
function connectAnew(): void {
  deliverFresh()
  const next = document.visibilityState === 'hidden' ? '' : addressOf([...followers])
  if (next === address && (running !== undefined || next === '')) return
  const before = [...connections]
  running = undefined
  if (next === '') {
    endAll(before)
    leaveLivePlace()
    setState('off')
    if (followers.size > 0) return
    address = ''
    lastSamples.clear()
    return
  }
  // Who comes back to the same streams goes on where it was.
  if (next !== address) lastEventId = undefined
  address = next
  running = new AbortController()
  connections.add(running)
  // What is open goes on until the one in its place is there: nothing is missed in between.
  void run(next, running, () => endAll(before))
}

function endAll(ended: readonly AbortController[]): void {
  for (const connection of ended) {
    connections.delete(connection)
    connection.abort()
  }
}

document.addEventListener('visibilitychange', settle)
onFound(settle)

/** The same text for the same topics, in whatever order they came. */
function addressOf(all: readonly Follower[]): string {
  const parts = new Set<string>()
  const streams = new Map<string, Set<string> | 'all'>()
  for (const topic of all.flatMap(({ topics }) => topics)) {
    if ('catalog' in topic) parts.add('catalog')
    else if ('comp' in topic) parts.add(`comp=${encodeURIComponent(topic.comp)}`)
    else {
      const known = streams.get(topic.compUid) ?? new Set<string>()
      if (known === 'all' || topic.streamUids === undefined) streams.set(topic.compUid, 'all')
      else streams.set(topic.compUid, known.union(new Set(topic.streamUids)))
    }
  }
  for (const [compUid, uids] of streams) {
    if (uids === 'all') parts.add(`compUid=${compUid}`)
    else if (uids.size > 0) {
      const own = [...uids].sort().map((uid) => `&streamUid=${uid}`)
      parts.add(`compUid=${compUid}${own.join('')}`)
    }
  }
  if (parts.size === 0) return ''
  const isAll = all.some((follower) => follower.isAll)
  return `/api/live?${[...parts].sort().join('&')}&retFData${isAll ? '' : '&last'}`
}

/** Reads events until nobody wants them; connects again whenever the connection ends. */
async function run(from: string, self: AbortController, onOpen: () => void): Promise<void> {
  const { signal } = self
  let waitMs = FIRST_WAIT_MS
  if (state === 'off') setState('connecting')
  while (!signal.aborted) {
    const hasPlace = await takeLivePlace()
    const place = new AbortController()
    const forget = onLostPlace(() => place.abort())
    try {
      const headers: Record<string, string> =
        lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId }
      const answer = await request(from, {
        headers,
        signal: AbortSignal.any([signal, place.signal]),
        cache: 'no-store',
      })
      onOpen()
      // The state of every followed stream is sent again, unless the connection continues.
      if (lastEventId === undefined) startFromNow()
      setState(hasPlace ? 'live' : 'looking')
      deliver([ANYTHING])
      waitMs = hasPlace ? FIRST_WAIT_MS : LOOK_EVERY_MS
      await readEvents(answer, self, hasPlace)
      if (!signal.aborted && hasPlace) setState('connecting')
    } catch (thrown) {
      if (signal.aborted) return
      const { status, retryAfterSeconds } = asApiError(thrown)
      setState(status === 429 ? 'refused' : 'connecting')
      if (status === 429) deliver([ANYTHING])
      if (retryAfterSeconds !== undefined) waitMs = retryAfterSeconds * 1_000
    } finally {
      forget()
    }
    await pause(waitMs, signal)
    waitMs = Math.min(waitMs * 2, LAST_WAIT_MS)
  }
}

/** What happened before this moment is not reported. */
function startFromNow(): void {
  lastSamples.clear()
  opened += 1
  for (const listener of stateListeners) listener()
}

/** Reads to the end or, without a place, until nothing has come for a moment. */
async function readEvents(
  answer: Response,
  self: AbortController,
  hasPlace: boolean,
): Promise<void> {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (reader === undefined) return
  const events = new LiveEventReader()
  // Of a connection that broke meanwhile it rejects with the error of the read.
  const end = () => void reader.cancel().catch(() => {})
  if (!hasPlace) setTimeout(end, LOOK_MS_MAX)
  for (;;) {
    const silence = hasPlace ? undefined : setTimeout(end, SILENCE_MS)
    const { done, value } = await reader.read()
    clearTimeout(silence)
    if (done || self.signal.aborted) return
    const received = events.read(value)
    // The cursor of a connection that is being replaced is of other streams.
    if (running === self) lastEventId = events.lastEventId ?? lastEventId
    if (received.length > 0) deliver(received)
    // The next call learns why it ends: signed out, or no longer allowed.
    if (received.some(({ event }) => event === 'end')) return
  }
}

function deliver(events: readonly LiveEvent[]): void {
  for (const event of events) {
    if (event.event === 'change') lastSamples.delete(event.data.streamUid)
    if (event.event === 'sample') lastSamples.set(event.data.streamUid, event)
  }
  for (const follower of [...followers]) deliverOne(follower, events)
}

function deliverOne({ topics, listener }: Follower, events: readonly LiveEvent[]): void {
  const own = events.filter((event) => topics.some((topic) => isAbout(topic, event)))
  if (own.length > 0) listener(own)
}

/** An open connection does not send last values twice. */
function deliverFresh(): void {
  const known = [...lastSamples.values()]
  for (const follower of fresh) deliverOne(follower, known)
  fresh.clear()
}

function isAbout(topic: LiveTopic, { event, data }: LiveEvent): boolean {
  if (event === 'end') return false
  if (event === 'catalog' || 'catalog' in topic) return event === 'catalog' && 'catalog' in topic
  if ('comp' in topic) return data.compId === topic.comp
  if (data.compUid !== topic.compUid) return false
  if (topic.streamUids === undefined || event === 'missing') return true
  return topic.streamUids.includes(data.streamUid)
}

/** Waits; not longer than until the service is found again, or another window has left its place. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      for (const forget of forgetters) forget()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    const forgetters = [onFound(end), onFreePlace(end)]
    signal.addEventListener('abort', end, { once: true })
  })
}

function subscribe(listener: () => void): () => void {
  stateListeners.add(listener)
  return () => stateListeners.delete(listener)
}

/** How the live connection stands. */
export function useLiveState(): LiveState {
  return useSyncExternalStore(subscribe, () => state)
}

/** Changes whenever a connection opens that reports nothing of what happened before. */
export function useLiveOpened(): number {
  return useSyncExternalStore(subscribe, () => opened)
}

/** Follows topics while a component is shown; the listener may be another at every rendering. */
export function useLive(
  topics: readonly LiveTopic[],
  listener: LiveListener,
  { isAll = false, isOff = false }: { readonly isAll?: boolean; readonly isOff?: boolean } = {},
): void {
  const latest = useRef({ topics, listener })
  latest.current = { topics, listener }
  const key = JSON.stringify(topics)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is the topics.
  useEffect(() => {
    if (isOff || latest.current.topics.length === 0) return undefined
    const hear: LiveListener = (events) => latest.current.listener(events)
    return followLive(latest.current.topics, hear, { isAll })
  }, [key, isAll, isOff])
}
