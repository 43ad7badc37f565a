import { buildAutomaton, type Node } from './regexp-automaton.ts'

/**
 * Decides whether a regular expression can take more than linear time. The time of a backtracking
 * engine grows with the ways a text leads through the pattern. These grow without bound exactly when
 * some text w leads from a place r back to r, from r to another place s, and from s back to s. Then w
 * repeated n times can change over from r to s at any of its n repetitions. A mismatch after it makes
 * the engine try them all. Search at every position of a text is a place of its own, so that /0+$/ is
 * found as well: a run of zeros inside the text is walked from each of its zeros.
 */

/** Characters that distinguish the classes of patterns. */
const ALPHABET = [...Array(128).keys()]
  .map((code) => String.fromCharCode(code))
  .concat(['\u00a0', '\u00ad', '\u00e9', '\u2028', '\ufeff', '\u{1f600}'])

type CharNode = Extract<Node, { kind: 'char' }>

interface Place {
  readonly name: string
  /** Which characters of the alphabet lead here: a bit each. */
  readonly reads: bigint
  readonly next: Set<Place>
  /** Places that more than one way leads to without reading between: each turn doubles the ways. */
  readonly doubled: Set<Place>
  /** A match ends here, whatever follows, so that nothing behind it can fail. */
  isDone: boolean
}

/** Why a pattern can take more than linear time, for people; undefined when it cannot. */
export function growthOf(source: string, flags: string): string | undefined {
  const living = aroundLoops(placesOf(source, flags).filter(({ isDone }) => !isDone))
  const places = [...living]
  const reach = new Map(places.map((place) => [place, reachable(place, living)]))
  const isLoop = (place: Place): boolean => reach.get(place)?.has(place) === true
  for (const place of places.filter(isLoop)) {
    for (const doubled of place.doubled) {
      if (reach.get(doubled)?.has(place)) return `two ways around the loop over ${place.name}`
    }
  }
  for (const r of places.filter(isLoop)) {
    for (const s of places.filter(isLoop)) {
      if (r === s || reach.get(r)?.has(s) !== true) continue
      if (canChangeOver(r, s, { living, reach })) {
        return `the same text passes through ${r.name} and ${s.name}`
      }
    }
  }
  return undefined
}

/** Places in loops and on ways between loops. All others leave: {1,63} alone makes dozens of them. */
function aroundLoops(places: readonly Place[]): Set<Place> {
  const kept = new Set(places)
  for (let sizeBefore = -1; sizeBefore !== kept.size; ) {
    sizeBefore = kept.size
    const entered = new Set(
      [...kept].flatMap(({ next }) => [...next].filter((place) => kept.has(place))),
    )
    // From the last to the first: a place is made before those behind it.
    for (const place of [...kept].reverse()) {
      const isLeft = [...place.next].some((next) => kept.has(next))
      if (!isLeft || !entered.has(place)) kept.delete(place)
    }
  }
  return kept
}

function reachable(from: Place, living: ReadonlySet<Place>): Set<Place> {
  const seen = new Set<Place>()
  const todo = [from]
  for (let place = todo.pop(); place !== undefined; place = todo.pop()) {
    for (const next of place.next) {
      if (seen.has(next) || !living.has(next)) continue
      seen.add(next)
      todo.push(next)
    }
  }
  return seen
}

/** Whether one text leads r to r, r to s and s to s: three walkers that read the same characters. */
function canChangeOver(
  r: Place,
  s: Place,
  { living, reach }: { living: ReadonlySet<Place>; reach: Map<Place, Set<Place>> },
): boolean {
  const goes = (from: Place, goal: Place): Place[] =>
    [...from.next].filter((to) => living.has(to) && (to === goal || reach.get(to)?.has(goal)))
  const numbers = new Map([...living].map((place, number) => [place, number]))
  const key = (walk: readonly Place[]): string => walk.map((at) => numbers.get(at)).join()
  const seen = new Set<string>()
  const todo: (readonly [Place, Place, Place])[] = [[r, r, s]]
  for (let walk = todo.pop(); walk !== undefined; walk = todo.pop()) {
    for (const first of goes(walk[0], r)) {
      for (const second of goes(walk[1], s)) {
        const both = first.reads & second.reads
        if (both === 0n) continue
        for (const third of goes(walk[2], s)) {
          if ((both & third.reads) === 0n) continue
          if (first === r && second === s && third === s) return true
          const step = [first, second, third] as const
          if (seen.has(key(step))) continue
          seen.add(key(step))
          todo.push(step)
        }
      }
    }
  }
  return false
}

function placesOf(source: string, flags: string): Place[] {
  const start = buildAutomaton(source)
  const all: Place[] = []
  const places = new Map<CharNode, Place>()
  const todo: [Place, Node][] = []
  const placeOf = (node: CharNode): Place => {
    const known = places.get(node)
    if (known !== undefined) return known
    const place = newPlace(node.atom, charactersOf(node.atom, flags))
    places.set(node, place)
    all.push(place)
    todo.push([place, node.next])
    return place
  }
  const join = (place: Place, node: Node, isAtStart: boolean): void => {
    const ways = waysFrom(node, isAtStart || flags.includes('m'))
    place.isDone = ways.isDone
    for (const [next, count] of ways.counts) {
      place.next.add(placeOf(next))
      if (count > 1) place.doubled.add(placeOf(next))
    }
  }
  const first = newPlace('the start', 0n)
  const later = newPlace('every later start', (1n << BigInt(ALPHABET.length)) - 1n)
  all.push(first, later)
  join(first, start, true)
  join(later, start, false)
  if (!flags.includes('y')) for (const place of [first, later]) place.next.add(later)
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) join(next[0], next[1], false)
  return all
}

function newPlace(name: string, reads: bigint): Place {
  return { name, reads, next: new Set(), doubled: new Set(), isDone: false }
}

function charactersOf(atom: string, flags: string): bigint {
  const one = new RegExp(`^(?:${atom})$`, flags.replace(/[gym]/g, ''))
  return ALPHABET.reduce(
    (bits, character, at) => (one.test(character) ? bits | (1n << BigInt(at)) : bits),
    0n,
  )
}

/** The characters that can be read next and in how many ways; `^` fails where text lies before. */
function waysFrom(
  node: Node,
  isStart: boolean,
): { counts: ReadonlyMap<CharNode, number>; isDone: boolean } {
  const counts = new Map<CharNode, number>()
  const visits = new Map<Node, number>()
  let isDone = false
  const walk = (at: Node, isSure: boolean): void => {
    // Twice: around an outer loop a way comes back to an inner one, as in (a*)*.
    const visit = (visits.get(at) ?? 0) + 1
    if (visit > 2) return
    visits.set(at, visit)
    if (at.kind === 'char') counts.set(at, (counts.get(at) ?? 0) + 1)
    else if (at.kind === 'split') for (const way of at.ways) walk(way, isSure)
    else if (at.kind === 'condition') walk(at.next, false)
    else if (at.kind === 'start' && isStart) walk(at.next, isSure)
    else if (at.kind === 'look') {
      walk(at.body, false)
      walk(at.next, false)
    } else if (at.kind === 'accept' && isSure) isDone = true
    visits.set(at, visit - 1)
  }
  walk(node, true)
  return { counts, isDone }
}
