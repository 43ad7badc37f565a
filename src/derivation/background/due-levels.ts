import type { StreamHandle } from '../../store/index.ts'
import type { StreamRanks } from '../stream-ranks.ts'
import { PendingUpdates } from './pending-updates.ts'

/** Streams of one rank: none of them depends on another. */
interface DueLevel {
  readonly rank: number
  readonly due: ReadonlyMap<StreamHandle, PendingUpdates>
}

/** Streams that have to be derived, taken by ascending rank: each after all others that it depends on. */
export class DueLevels {
  readonly #ranks: StreamRanks
  readonly #levels = new Map<number, Map<StreamHandle, PendingUpdates>>()

  constructor(ranks: StreamRanks) {
    this.#ranks = ranks
  }

  /** What has to be derived of a stream, to be added to. */
  pendingOf(derived: StreamHandle): PendingUpdates {
    const level = this.#levelOf(derived)
    return level.getOrInsertComputed(derived, () => new PendingUpdates())
  }

  /** Takes in a stream that is not among them. */
  set(derived: StreamHandle, pending: PendingUpdates): void {
    this.#levelOf(derived).set(derived, pending)
  }

  /** Takes out the streams of the lowest rank; undefined when there are none. */
  takeFirst(): DueLevel | undefined {
    let rank = Number.POSITIVE_INFINITY
    for (const one of this.#levels.keys()) rank = Math.min(rank, one)
    const due = this.#levels.get(rank)
    this.#levels.delete(rank)
    return due && { rank, due }
  }

  #levelOf(derived: StreamHandle): Map<StreamHandle, PendingUpdates> {
    const rank = this.#ranks.of(derived)
    return this.#levels.getOrInsertComputed(rank, () => new Map<StreamHandle, PendingUpdates>())
  }
}
