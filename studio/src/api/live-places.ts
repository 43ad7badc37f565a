/**
 * Browsers open six connections to a service that speaks HTTP/1.1, for all windows together: where five windows hold a
 * live one, a sixth stands still. So windows share four places for them, and ask each other by a channel;
 * the locks that browsers have for this are for https only.
 */

const PLACES = 4
/** Windows that are seen answer at once, later on a machine that is busy: a fifth would take a place that is none. */
const ASK_MS = 400

interface Word {
  readonly says: 'asks' | 'holds' | 'leaves'
  readonly from: string
}

const self = String(crypto.getRandomValues(new Uint32Array(2)))
const channel = new BroadcastChannel('weir-live-places')
const holders = new Set<string>()
const waiting = new Set<() => void>()
let standing: 'none' | 'asking' | 'holding' = 'none'

channel.addEventListener('message', ({ data }: MessageEvent<Word>) => {
  const { says, from } = data
  // Of two that ask at the same time one goes first.
  const isFirst = standing === 'holding' || (standing === 'asking' && self < from)
  if (says === 'asks' && isFirst) say('holds')
  if (says === 'holds') holders.add(from)
  if (says === 'leaves') for (const listener of [...waiting]) listener()
})

// A window that is closed leaves; one that is killed answers no more, which comes to the same.
addEventListener('pagehide', leaveLivePlace)

function say(says: Word['says']): void {
  channel.postMessage({ says, from: self } satisfies Word)
}

/** Takes one of the places, unless other windows have them all; who has one keeps it. */
export async function takeLivePlace(): Promise<boolean> {
  if (standing === 'holding' || isShared()) return true
  standing = 'asking'
  holders.clear()
  say('asks')
  await new Promise((resolve) => setTimeout(resolve, ASK_MS))
  standing = holders.size < PLACES ? 'holding' : 'none'
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

/** Whether all calls share one connection, as with HTTP/2. */
function isShared(): boolean {
  const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  return /^h[23]/.test(page?.nextHopProtocol ?? '')
}
