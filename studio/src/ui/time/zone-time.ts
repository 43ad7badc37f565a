/** Wall clocks of time zones: what a moment is called in a zone, and the other way round. */

const formats = new Map<string, Intl.DateTimeFormat>()

/** Zones whose formats are kept; a page shows two or three. */
const FORMATS_MAX = 50

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known !== undefined) return known
  const numeric = 'numeric' as const
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    hourCycle: 'h23',
    era: 'short',
    year: numeric,
    month: numeric,
    day: numeric,
    hour: numeric,
    minute: numeric,
    second: numeric,
  })
  if (formats.size >= FORMATS_MAX) formats.clear()
  formats.set(zone, made)
  return made
}

/** What clocks of a zone show, as if it were UTC: `new Date(wall).getUTCHours()` is the hour there. */
export function wallOf(zone: string, at: number): number {
  const parts: Record<string, number> = {}
  for (const { type, value } of formatOf(zone).formatToParts(at)) parts[type] = Number(value)
  const { year, month, day, hour, minute, second } = parts
  const ms = ((at % 1_000) + 1_000) % 1_000
  return Date.UTC(year, month - 1, day, hour, minute, second, ms)
}

/** How far clocks of a zone are ahead of UTC, in ms. */
export function offsetOf(zone: string, at: number): number {
  return wallOf(zone, at) - at
}

/**
 * The moments at which clocks of a zone show a time: one mostly, two where they are set back, none
 * where they are set forward.
 */
export function momentsOf(zone: string, wall: number): number[] {
  const day = 86_400_000
  const offsets = new Set([
    offsetOf(zone, wall - day),
    offsetOf(zone, wall),
    offsetOf(zone, wall + day),
  ])
  return [...offsets]
    .map((offset) => wall - offset)
    .filter((at) => wallOf(zone, at) === wall)
    .sort((a, b) => a - b)
}

/** The first moment of what clocks show, or the moment to which they jump over it. */
export function momentOf(zone: string, wall: number): number {
  const [first] = momentsOf(zone, wall)
  return first ?? wall - offsetOf(zone, wall - 86_400_000)
}

/** A day, month or year on the clocks of a zone, moved by some of them: 0 is where `at` lies. */
export function startOf(
  zone: string,
  at: number,
  unit: 'day' | 'week' | 'month' | 'year',
  moved = 0,
): number {
  const wall = new Date(wallOf(zone, at))
  const [year, month, day] = [wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate()]
  switch (unit) {
    case 'day':
      return momentOf(zone, Date.UTC(year, month, day + moved))
    case 'week': {
      const monday = day - ((wall.getUTCDay() + 6) % 7)
      return momentOf(zone, Date.UTC(year, month, monday + 7 * moved))
    }
    case 'month':
      return momentOf(zone, Date.UTC(year, month + moved, 1))
    case 'year':
      return momentOf(zone, Date.UTC(year + moved, 0, 1))
  }
}

/** The zone of the browser. */
export function browserZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}
