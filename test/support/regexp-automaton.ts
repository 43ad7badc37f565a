/**
 * A regular expression as the automaton that a backtracking engine walks. One node reads one
 * character; a split tries its ways one after another; a condition looks and reads nothing.
 */
export type Node =
  | { readonly kind: 'char'; readonly atom: string; next: Node }
  | { readonly kind: 'split'; readonly ways: Node[] }
  | { readonly kind: 'start' | 'condition'; readonly next: Node }
  | { readonly kind: 'look'; readonly body: Node; readonly next: Node }
  | { readonly kind: 'accept' | 'lookEnd' }

/** Copies that a bounded repeat is written out to; more would not change how the time grows. */
const COPIES_MAX = 130

type Build = (next: Node) => Node

/** Builds the automaton of a pattern; throws for what it does not know, such as references back. */
export function buildAutomaton(source: string): Node {
  const reader = new PatternReader(source)
  const build = reader.readAlternatives()
  if (!reader.isAtEnd) throw new Error(`cannot read the pattern from "${reader.rest}" on`)
  return build({ kind: 'accept' })
}

class PatternReader {
  readonly #source: string
  #at = 0

  constructor(source: string) {
    this.#source = source
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#source.length
  }

  get rest(): string {
    return this.#source.slice(this.#at)
  }

  readAlternatives(): Build {
    const ways: Build[] = []
    do {
      const parts: Build[] = []
      while (!this.isAtEnd && !/^[|)]/.test(this.rest)) parts.push(this.#readQuantified())
      ways.push((next) => parts.reduceRight((after, part) => part(after), next))
    } while (this.#take(/^\|/) !== undefined)
    if (ways.length === 1) return ways[0]
    return (next) => ({ kind: 'split', ways: ways.map((way) => way(next)) })
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    const match = pattern.exec(this.rest)
    if (match === null) return undefined
    this.#at += match[0].length
    return match
  }

  #readQuantified(): Build {
    const atom = this.#readAtom()
    const count = this.#take(/^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/)
    if (count === undefined) return atom
    const [, sign, least, comma, most] = count
    const min = sign === undefined ? Number(least) : sign === '+' ? 1 : 0
    const bounded = comma === undefined ? min : most === '' ? Infinity : Number(most)
    return repeat(atom, min, sign === undefined ? bounded : sign === '?' ? 1 : Infinity)
  }

  #readAtom(): Build {
    if (this.#take(/^\((?:\?:|\?<[A-Za-z]\w*>)?(?!\?)/) !== undefined) return this.#readGroup()
    if (this.#take(/^\(\?[=!]/) !== undefined) {
      const body = this.#readGroup()
      return (next) => ({ kind: 'look', body: body({ kind: 'lookEnd' }), next })
    }
    if (this.#take(/^\^/) !== undefined) return (next) => ({ kind: 'start', next })
    if (this.#take(/^(?:\$|\\b|\\B)/) !== undefined) return (next) => ({ kind: 'condition', next })
    const escaped = /^\\(?:x[0-9a-f]{2}|u\{[0-9a-f]+\}|u[0-9a-f]{4}|[pP]\{[^}]*\}|c[a-z]|[^1-9k])/iu
    const atom =
      this.#take(/^\[(?:[^\]\\]|\\.)*\]/s) ?? this.#take(escaped) ?? this.#take(/^[^\\()|*+?[{]/u)
    if (atom === undefined) throw new Error(`cannot read the pattern from "${this.rest}" on`)
    return (next) => ({ kind: 'char', atom: atom[0], next })
  }

  #readGroup(): Build {
    const group = this.readAlternatives()
    if (this.#take(/^\)/) === undefined) throw new Error(`a group is open at "${this.rest}"`)
    return group
  }
}

function repeat(atom: Build, min: number, max: number): Build {
  return (next) => {
    let tail = next
    if (max === Number.POSITIVE_INFINITY) {
      const loop: Node = { kind: 'split', ways: [] }
      loop.ways.push(atom(loop), next)
      tail = loop
    } else {
      const optional = Math.min(max - min, COPIES_MAX)
      // Nested, so that there is one way to each copy and not one for every choice of those before.
      for (let copy = 0; copy < optional; copy++) {
        tail = { kind: 'split', ways: [atom(tail), next] }
      }
    }
    for (let copy = 0; copy < Math.min(min, COPIES_MAX); copy++) tail = atom(tail)
    return tail
  }
}
