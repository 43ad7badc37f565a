import { metricText } from '../base/index.ts'
import type { Broadcast } from '../store/index.ts'

/** A point that a door has refused. */
interface RefusedEntry {
  /** When, in epoch milliseconds. */
  readonly time: number
  readonly door: string
  /** The UID of the API key; '' where another credential was used. */
  readonly keyUid: string
  readonly reason: string
  /** The beginning of the line, or of what stood for the point. */
  readonly line: string
}

/** Entries of an organization. */
const KEPT_MAX = 1_000
/** Of all organizations: some 20 MB of the longest lines. */
const KEPT_IN_ALL_MAX = 10_000
export const SHOWN_LINE_LENGTH_MAX = 1_000

/** What doors have taken and refused since the process started: counts for metrics, and the last points refused. */
export class DoorLog {
  readonly #accepted = new Map<string, number>()
  /** By door and reason. */
  readonly #refused = new Map<string, Map<string, number>>()
  readonly #merged = new Map<string, number>()
  readonly #rounded = new Map<string, number>()
  /** By organization, the one that refused last at the end. */
  readonly #entries = new Map<string, RefusedEntry[]>()
  #kept = 0
  readonly #broadcast: Broadcast | undefined

  /** Where other processes serve the same organizations, each knows the points that the others refuse. */
  constructor(broadcast?: Broadcast) {
    this.#broadcast = broadcast
    broadcast?.onText((text) => {
      const { orgUid, ...entry } = JSON.parse(text) as RefusedEntry & { orgUid: string }
      this.#add(orgUid, [entry])
    })
  }

  countAccepted(door: string, points: number): void {
    addTo(this.#accepted, door, points)
  }

  countRefused(door: string, reason: string, points: number): void {
    const counts = this.#refused.get(door) ?? new Map<string, number>()
    this.#refused.set(door, counts)
    addTo(counts, reason, points)
  }

  /** Counts points that shared a millisecond, and whole numbers that lost digits. */
  countChanged(door: string, changed: { readonly merged: number; readonly rounded: number }): void {
    addTo(this.#merged, door, changed.merged)
    addTo(this.#rounded, door, changed.rounded)
  }

  /** Keeps rejected points for the administrators of the organization. */
  keep(orgUid: string, entries: readonly RefusedEntry[]): void {
    if (entries.length === 0) return
    this.#add(orgUid, entries)
    const bytesMax = this.#broadcast?.textBytesMax ?? 0
    this.#broadcast?.tell(entries.map((entry) => told({ orgUid, ...entry }, bytesMax)))
  }

  #add(orgUid: string, entries: readonly RefusedEntry[]): void {
    const kept = this.#entries.get(orgUid) ?? []
    this.#entries.delete(orgUid)
    this.#entries.set(orgUid, kept)
    for (const entry of entries) kept.push(entry)
    const surplus = Math.max(0, kept.length - KEPT_MAX)
    kept.splice(0, surplus)
    this.#kept += entries.length - surplus
    for (const [other, list] of this.#entries) {
      if (this.#kept <= KEPT_IN_ALL_MAX || other === orgUid) break
      this.#entries.delete(other)
      this.#kept -= list.length
    }
  }

  /** The last refused points of an organization, latest first. */
  list(orgUid: string): readonly RefusedEntry[] {
    return (this.#entries.get(orgUid) ?? []).toSorted((a, b) => a.time - b.time).toReversed()
  }

  metrics(): string {
    const refused = [...this.#refused].flatMap(([door, counts]) =>
      [...counts].map(([reason, count]) => [`door="${door}",reason="${reason}"`, count] as const),
    )
    return [
      metricText(
        'weir_door_points_accepted_total',
        'counter',
        'Points that foreign protocols have brought and that were stored.',
        byDoor(this.#accepted),
      ),
      metricText(
        'weir_door_points_refused_total',
        'counter',
        'Points that foreign protocols have brought and that were refused, by reason.',
        refused,
      ),
      metricText(
        'weir_door_points_merged_total',
        'counter',
        'Points that shared their millisecond with another point of their series.',
        byDoor(this.#merged),
      ),
      metricText(
        'weir_door_integers_rounded_total',
        'counter',
        'Integers beyond 2^53 that a double does not hold exactly.',
        byDoor(this.#rounded),
      ),
    ].join('')
  }
}

/** An entry in the form sent to other processes, with texts cut to fit. */
function told(entry: RefusedEntry & { orgUid: string }, bytesMax: number): string {
  const text = JSON.stringify(entry)
  if (Buffer.byteLength(text) <= bytesMax) return text
  const line = entry.line.slice(0, entry.line.length >> 1).toWellFormed()
  const reason = entry.reason.slice(0, 1_000).toWellFormed()
  return told({ ...entry, line, reason }, bytesMax)
}

function addTo(counts: Map<string, number>, name: string, count: number): void {
  counts.set(name, (counts.get(name) ?? 0) + count)
}

function byDoor(counts: ReadonlyMap<string, number>): (readonly [string, number])[] {
  return [...counts].map(([door, count]) => [`door="${door}"`, count] as const)
}
