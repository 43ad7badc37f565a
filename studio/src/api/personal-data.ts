/**
 * What the studio keeps in the browser belongs to one person: drafts, the organization,
 * and open folders. It goes with a sign-out, in all windows, and before another person sees a page.
 */
import { below } from './base-path.ts'

const PREFIX = 'weir.'
/** Says nothing of a person, and stays for everybody who uses the browser. */
const THEME = 'weir.theme'
/** Whose data a storage has: the UID of a person. */
const OWNER = 'weir.person'

/** Messages between the windows of one browser. */
interface Word {
  /** The person who is signed in from here on; '' for nobody. */
  readonly userUid: string
}

const channel = new BroadcastChannel('weir-person')
let shown = ''

channel.addEventListener('message', ({ data }: MessageEvent<Word>) => {
  if (shown !== '' && shown !== data.userUid) startAnew()
})

/** Shows pages of a person in this window: what others have left in the browser is deleted. */
export function ownBrowser(userUid: string): void {
  const isOther = localStorage.getItem(OWNER) !== userUid
  for (const storage of [localStorage, sessionStorage]) {
    if (storage.getItem(OWNER) === userUid) continue
    clear(storage)
    storage.setItem(OWNER, userUid)
  }
  shown = userUid
  if (isOther) channel.postMessage({ userUid } satisfies Word)
}

/** Deletes what the browser has of the person who has signed out; all windows restart. */
export function disownBrowser(): void {
  channel.postMessage({ userUid: '' } satisfies Word)
  startAnew()
}

/** Deletes what the browser has of the person of this window, and loads the beginning: memory is empty then. */
export function startAnew(): void {
  shown = ''
  clearBoth()
  // What was on its way when this was called may still write.
  addEventListener('pagehide', clearBoth)
  location.replace(below('/'))
}

function clearBoth(): void {
  clear(sessionStorage)
  clear(localStorage)
}

function clear(storage: Storage): void {
  for (const key of Object.keys(storage)) {
    if (key.startsWith(PREFIX) && key !== THEME) storage.removeItem(key)
  }
}
