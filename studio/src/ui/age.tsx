import { useSyncExternalStore } from 'react'

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

const UNITS: ReadonlyArray<readonly [ms: number, unit: string]> = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
]

/** How long something is past, in words of one unit. */
export function ageText(ms: number): string {
  if (ms < 0) return `in ${ageText(-ms).replace(' ago', '')}`
  for (const [size, unit] of UNITS) {
    if (ms >= size) return `${Math.floor(ms / size)} ${unit} ago`
  }
  return 'just now'
}

/** The age of a moment, which goes on by itself; the moment itself, with its zone, as a hint. */
export function Age({ time, zone }: { readonly time: number; readonly zone?: string }) {
  const current = useSyncExternalStore(subscribe, () => now)
  const full = new Intl.DateTimeFormat(undefined, {
    ...{ dateStyle: 'medium', timeStyle: 'long' },
    ...(zone === undefined || zone === '' ? {} : { timeZone: zone }),
  } as Intl.DateTimeFormatOptions).format(time)
  return (
    <time dateTime={new Date(time).toISOString()} title={full}>
      {ageText(Math.max(current, Date.now() - TICK_MS) - time)}
    </time>
  )
}
