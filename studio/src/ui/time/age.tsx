import { useSyncExternalStore } from 'react'
import { ageText } from './age-text.ts'
import { zonedText } from './moment-text.ts'
import { browserZone } from './zone-time.ts'

const TICK_MS = 1_000
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
let now = Date.now()

/** One clock for all ages of the page, which stands still while nothing shows one. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  now = Date.now()
  timer ??= setInterval(() => {
    now = Date.now()
    for (const tick of listeners) tick()
  }, TICK_MS)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The age of a moment, which goes on by itself; the moment itself, with its zone, as a hint. */
export function Age({ time, zone }: { readonly time: number; readonly zone?: string }) {
  const current = useSyncExternalStore(subscribe, () => now)
  return (
    <time dateTime={new Date(time).toISOString()} title={zonedText(zone || browserZone(), time)}>
      {ageText(Math.max(current, Date.now() - TICK_MS) - time)}
    </time>
  )
}
