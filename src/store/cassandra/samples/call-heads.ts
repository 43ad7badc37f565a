import type { LeafList, SampleHead, SampleHeads } from './sample-head.ts'

/** What reads need of the partitions of streams. */
export interface ReadHeads extends Pick<SampleHeads, 'read' | 'leavesOf'> {
  /** Has the next read ask the nodes again. */
  renew?(): void
}

/**
 * The partitions of streams for one call. It keeps the stream that it read last: all that was acknowledged before the
 * call is in there, and all reads of the call see the same.
 */
export class CallHeads implements ReadHeads {
  readonly #heads: ReadHeads
  #last: { readonly handle: number; readonly head: Promise<SampleHead> } | undefined

  constructor(heads: ReadHeads) {
    this.#heads = heads
  }

  read(handle: number): Promise<SampleHead> {
    if (this.#last?.handle === handle) return this.#last.head
    const head = this.#heads.read(handle)
    const last = { handle, head }
    this.#last = last
    head.catch(() => {
      if (this.#last === last) this.renew()
    })
    return head
  }

  leavesOf(handle: number, head: SampleHead): Promise<LeafList> {
    return this.#heads.leavesOf(handle, head)
  }

  renew(): void {
    this.#last = undefined
  }
}
