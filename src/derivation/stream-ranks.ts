import type { StreamHandle } from '../store/index.ts'
import type { DerivationGraph } from './derivation-plan.ts'

/** A stream on the way to the streams that nothing is derived for. */
interface Step {
  readonly handle: StreamHandle
  readonly left: StreamHandle[]
  rank: number
}

/**
 * How many derivations lie before a stream, on the longest way: 0 for one that is put into, and more for a stream than
 * for any that it reads. Derived by ascending rank, each stream comes once and after all its sources.
 */
export class StreamRanks {
  readonly #graph: Pick<DerivationGraph, 'sourcesOf' | 'generation'>
  /** Of streams of the graph that were asked for, and of what they depend on. */
  readonly #ranks = new Map<StreamHandle, number>()
  #generation: number

  constructor(graph: Pick<DerivationGraph, 'sourcesOf' | 'generation'>) {
    this.#graph = graph
    this.#generation = graph.generation
  }

  /** The rank of a stream, as the graph is. */
  of(handle: StreamHandle): number {
    const { generation } = this.#graph
    if (generation !== this.#generation) {
      this.#generation = generation
      this.#ranks.clear()
    }
    return this.#ranks.get(handle) ?? this.#find(handle)
  }

  /** Each stream and each edge is looked at once, without recursion: chains are long. */
  #find(asked: StreamHandle): number {
    const path = [this.#enter(asked)]
    for (;;) {
      const step = path[path.length - 1]
      const source = step.left.pop()
      if (source !== undefined) {
        const known = this.#ranks.get(source)
        if (known === undefined) path.push(this.#enter(source))
        else step.rank = Math.max(step.rank, known + 1)
        continue
      }
      this.#ranks.set(step.handle, step.rank)
      path.pop()
      if (path.length === 0) return step.rank
      const above = path[path.length - 1]
      above.rank = Math.max(above.rank, step.rank + 1)
    }
  }

  #enter(handle: StreamHandle): Step {
    // A loop, which records do not let be, ends where it began.
    this.#ranks.set(handle, 0)
    return { handle, left: [...this.#graph.sourcesOf(handle)], rank: 0 }
  }
}
