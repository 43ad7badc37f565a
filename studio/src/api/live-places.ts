/**
 * Browsers open six connections to a service that speaks HTTP/1.1, for all windows together: where five windows hold a
 * live one, a sixth stands still. So windows share four places for them, and ask each other by a channel;
 * the locks that browsers have for this are for https only.
 */

const PLACES = 4
/** Windows that are seen answer at once. On a busy machine they answer later: then the last to ask leaves its place. */
const ASK_MS = 400

interface Word {
  readonly says: 'asks' | 'holds' | 'leaves'
  readonly from: string
  /** When that window asked for its place, in epoch milliseconds. */
  readonly askedAtMs: number
}

const self = String(crypto.getRandomValues(new Uint32Array(2)))
const channel = new BroadcastChannel('weir-live-places')
/** Windows that have said that they hold a place, and when they asked for it. */
const holders = new Map<string, number>()
const waiting = new Set<() => void>()
const losing = new Set<() => void>()
let askedAtMs = 0
let standing: 'none' | 'asking' | 'holding' = 'none'

channel.addEventListener('message', ({ data }: MessageEvent<Word>) => {
  const { says, from } = data
  if (says === 'leaves') holders.delete(from)
  // Of two that ask at the same time one goes first.
  const isFirst = standing === 'holding' || (standing === 'asking' && self < from)
  if (says === 'asks' && isFirst) say('holds')
  if (says === 'holds') {
    holders.set(from, data.askedAtMs)
    if (standing === 'holding' && countEarlier() >= PLACES) losePlace()
  }
  if (says === 'leaves') for (const listener of [...waiting]) listener()
})

// A window that is closed leaves; one that is killed answers no more, which comes to the same.
addEventListener('pagehide', leaveLivePlace)

function say(says: Word['says']): void {
  channel.postMessage({ says, from: self, askedAtMs } satisfies Word)
}

function countEarlier(): number {
  const all = [...holders]
  return all.filter(([from, at]) => at < askedAtMs || (at === askedAtMs && from < self)).length
}

function losePlace(): void {
  standing = 'none'
  for (const listener of [...losing]) listener()
}

/** Takes one of the places, unless other windows have them all; who has one keeps it. */
export async function takeLivePlace(): Promise<boolean> {
  if (standing === 'holding' || isShared()) return true
  standing = 'asking'
  askedAtMs = Date.now()
  holders.clear()
  say('asks')
  await new Promise((resolve) => setTimeout(resolve, ASK_MS))
  // It may have left in the meantime.
  if (standing === 'asking') standing = holders.size < PLACES ? 'holding' : 'none'
  return standing === 'holding'
}

/** Releases the place, for waiting tabs. */
export function leaveLivePlace(): void {
  if (standing === 'holding') say('leaves')
  standing = 'none'
}

/** Calls back when another window leaves its place. Returns a function that stops that. */
export function onFreePlace(listener: () => void): () => void {
  waiting.add(listener)
  return () => waiting.delete(listener)
}

/** Calls back when it turns out that there was no place for this window. Returns a function that stops that. */
export function onLostPlace(listener: () => void): () => void {
  losing.add(listener)
  return () => losing.delete(listener)
}

/** Whether all calls share one connection, as with HTTP/2. */
function isShared(): boolean {
  const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  return /^h[23]/.test(page?.nextHopProtocol ?? '')
}
