import { nextTurn } from '../../base/index.ts'
import type { SourceFinder, SourceStream } from './source-finder.ts'

/** A formula over more streams, directly or through others, would take a second to be checked. */
export const ANCESTORS_MAX = 10_000
/** Streams looked at before others get a turn: about a millisecond. */
const STREAMS_PER_STEP = 50

/** Follows derived streams to all that they depend on, each stream once, and notices loops. */
export class LoopFinder {
  readonly #finder: SourceFinder
  /** Streams that have been followed, or are being: `isOpen` while what they depend on is looked at. */
  readonly #seen = new Map<string, { readonly stream: SourceStream; isOpen: boolean }>()
  #looked = 0

  constructor(finder: SourceFinder) {
    this.#finder = finder
  }

  /** Every stream that was looked at. */
  get streams(): SourceStream[] {
    return [...this.#seen.values()].map(({ stream }) => stream)
  }

  /**
   * A loop among what a stream depends on, from a stream to itself, each reading the next; undefined
   * when there is none; 'too_many' when there are more streams than are looked at.
   */
  async find(start: SourceStream): Promise<readonly SourceStream[] | 'too_many' | undefined> {
    if (this.#seen.has(start.uid)) return undefined
    const path = [this.#enter(start)]
    while (path.length > 0) {
      const last = path[path.length - 1]
      const variable = last.variables.pop()
      if (variable === undefined) {
        last.mark.isOpen = false
        path.pop()
        continue
      }
      this.#looked += 1
      if (this.#looked % STREAMS_PER_STEP === 0) await nextTurn()
      const stream = await this.#finder.sourceOf(variable)
      if (stream === undefined) continue
      const known = this.#seen.get(stream.uid)
      if (known?.isOpen) {
        const streams = path.map(({ mark }) => mark.stream)
        return [...streams.slice(streams.findIndex(({ uid }) => uid === stream.uid)), stream]
      }
      if (known !== undefined) continue
      if (this.#seen.size >= ANCESTORS_MAX) return 'too_many'
      path.push(this.#enter(stream))
    }
    return undefined
  }

  #enter(stream: SourceStream) {
    const mark = { stream, isOpen: true }
    this.#seen.set(stream.uid, mark)
    return { mark, variables: [...(stream.derivation?.variables ?? [])].reverse() }
  }
}
