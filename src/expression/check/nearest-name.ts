/** Names that differ in more than this are others, not mistyped ones. */
const DISTANCE_MAX = 2

/** Longer names are not compared: the work grows with the square of their length. */
const LENGTH_MAX = 64

/** The name that was likely meant, or undefined where none is near. */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  if (name.length > LENGTH_MAX) return undefined
  const most = Math.min(DISTANCE_MAX, Math.floor(name.length / 2))
  let best: string | undefined
  let bestDistance = most + 1
  for (const candidate of names) {
    if (Math.abs(candidate.length - name.length) > most) continue
    const distance = distanceOf(name.toLowerCase(), candidate.toLowerCase())
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** How many characters must be put in, taken out or changed (Levenshtein). */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const change = row[j - 1] + (one[i - 1] === other[j - 1] ? 0 : 1)
      next.push(Math.min(change, row[j] + 1, next[j - 1] + 1))
    }
    row = next
  }
  return row[other.length]
}

/** A name as a message may show it. */
export function shorten(name: string): string {
  return name.length > LENGTH_MAX ? `${name.slice(0, LENGTH_MAX)}…` : name
}
