import type { StreamHandle } from '../../store/index.ts'
import type { StreamRanks } from '../stream-ranks.ts'
import { StreamDues } from './stream-dues.ts'

/** Streams of one rank: none of them depends on another. */
interface DueLevel {
  readonly rank: number
  readonly due: ReadonlyMap<StreamHandle, StreamDues>
}

/** Streams that have to be derived, taken by ascending rank: each after all others that it depends on. */
export class DueLevels {
  readonly #ranks: StreamRanks
  readonly #levels = new Map<number, Map<StreamHandle, StreamDues>>()

  constructor(ranks: StreamRanks) {
    this.#ranks = ranks
  }

  /** What has to be derived of a stream, to be added to. */
  duesOf(derived: StreamHandle): StreamDues {
    const level = this.#levelOf(derived)
    const dues = level.get(derived) ?? new StreamDues()
    level.set(derived, dues)
    return dues
  }

  /** Takes in a stream that is not among them. */
  set(derived: StreamHandle, dues: StreamDues): void {
    this.#levelOf(derived).set(derived, dues)
  }

  /** Takes out the streams of the lowest rank; undefined when there are none. */
  takeFirst(): DueLevel | undefined {
    let rank = Number.POSITIVE_INFINITY
    for (const one of this.#levels.keys()) rank = Math.min(rank, one)
    const due = this.#levels.get(rank)
    this.#levels.delete(rank)
    return due && { rank, due }
  }

  #levelOf(derived: StreamHandle): Map<StreamHandle, StreamDues> {
    const rank = this.#ranks.of(derived)
    const level = this.#levels.get(rank) ?? new Map<StreamHandle, StreamDues>()
    this.#levels.set(rank, level)
    return level
  }
}
