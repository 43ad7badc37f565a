import { nextIteration } from '../../base/index.ts'
import type { SourceFinder, StreamReads } from './source-finder.ts'

/** A formula over more streams, directly or through others, would make a commit of as many. */
export const ANCESTORS_MAX = 10_000
/** Streams looked at before others get a turn: about a millisecond. */
const STREAMS_PER_STEP = 50

/** Follows derived streams to all that they depend on, each stream once, and notices loops. */
export class LoopFinder {
  readonly #finder: Pick<SourceFinder, 'readsOf'>
  /** Streams that have been followed, or are being: `isOpen` while what they depend on is looked at. */
  readonly #seen = new Map<string, { readonly stream: StreamReads; isOpen: boolean }>()
  #looked = 0

  constructor(finder: Pick<SourceFinder, 'readsOf'>) {
    this.#finder = finder
  }

  /** Every stream that was looked at. */
  get streams(): StreamReads[] {
    return [...this.#seen.values()].map(({ stream }) => stream)
  }

  /**
   * A loop among what a stream depends on, by UIDs, from a stream to itself, each reading the next; undefined
   * when there is none; 'too_many' when there are more streams than are looked at.
   */
  async find(start: string): Promise<readonly string[] | 'too_many' | undefined> {
    const path = await this.#enter(start)
    while (path.length > 0) {
      const last = path[path.length - 1]
      const uid = last.sources.pop()
      if (uid === undefined) {
        last.mark.isOpen = false
        path.pop()
        continue
      }
      const known = this.#seen.get(uid)
      if (known?.isOpen) {
        const uids = path.map(({ mark }) => mark.stream.uid)
        return [...uids.slice(uids.indexOf(uid)), uid]
      }
      if (known !== undefined) continue
      if (this.#seen.size >= ANCESTORS_MAX) return 'too_many'
      path.push(...(await this.#enter(uid)))
    }
    return undefined
  }

  /** Nothing where a stream was followed already, or is gone. */
  async #enter(uid: string) {
    if (this.#seen.has(uid)) return []
    this.#looked += 1
    if (this.#looked % STREAMS_PER_STEP === 0) await nextIteration()
    const stream = await this.#finder.readsOf(uid)
    if (stream === undefined) return []
    const mark = { stream, isOpen: true }
    this.#seen.set(uid, mark)
    return [{ mark, sources: [...stream.sources].reverse() }]
  }
}
