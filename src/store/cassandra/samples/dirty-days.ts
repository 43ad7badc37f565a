import type { Cluster, CqlRow } from '../connection/cluster.ts'
import { mustBeWhole } from './row-values.ts'
import { eachAtOnce } from './slots.ts'

const DAY_MS = 86_400_000

/** Over how many partitions the streams of a day are spread. */
export const DIRTY_SHARDS = 32

const KEPT_AT_ONCE = 64

/** In the place of a day: the partition that lists the days themselves. */
const LIST_DAY = -1

const insertStream = 'INSERT INTO sample_dirty (day, shard, stream) VALUES (?, ?, ?)'
const deleteStream = 'DELETE FROM sample_dirty WHERE day = ? AND shard = ? AND stream = ?'
const deleteShard = 'DELETE FROM sample_dirty WHERE day = ? AND shard = ?'
const selectStreams = 'SELECT stream FROM sample_dirty WHERE day = ? AND shard = ?'

/** The day of a moment, counted from 1970 on. */
export function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS)
}

/** Which streams have something that waits for compaction, by the day it began: found also when its process died. */
export class DirtyDays {
  readonly #cql: Cluster
  #listedDay = LIST_DAY

  constructor(cql: Cluster) {
    this.#cql = cql
  }

  /** Puts a stream on the list of a day. */
  async add(handle: number, day: number, stamp: number): Promise<void> {
    if (day !== this.#listedDay) {
      await this.#cql.run(insertStream, [LIST_DAY, 0, day], { timestamp: stamp })
      this.#listedDay = day
    }
    const params = [day, handle % DIRTY_SHARDS, handle]
    await this.#cql.run(insertStream, params, { timestamp: stamp })
  }

  /**
   * Takes all streams off one part of a day's list but some, which get a later stamp, and those that were listed after a
   * stamp. One deletion for all: a list of many single ones could not be read any more.
   */
  async keepOnly(
    { day, shard }: { readonly day: number; readonly shard: number },
    kept: {
      readonly streams: readonly number[]
      readonly listedUpTo: number
      readonly stamp: number
    },
  ): Promise<void> {
    const timestamp = kept.stamp
    await eachAtOnce(kept.streams, KEPT_AT_ONCE, (stream) =>
      this.#cql.run(insertStream, [day, shard, stream], { timestamp }),
    )
    await this.#cql.run(deleteShard, [day, shard], { timestamp: kept.listedUpTo })
  }

  /** The days that have a list. */
  async days(): Promise<number[]> {
    return streamsOf(await this.#cql.run(selectStreams, [LIST_DAY, 0]))
  }

  /** Takes a day off that is over and has no streams. */
  async deleteDay(day: number, timestamp: number): Promise<void> {
    await this.#cql.run(deleteStream, [LIST_DAY, 0, day], { timestamp })
  }

  /** The streams of one part of a day's list, page by page. */
  async *streams(day: number, shard: number): AsyncGenerator<number[]> {
    for await (const page of this.#cql.pages(selectStreams, [day, shard], 500)) {
      yield streamsOf(page)
    }
  }
}

function streamsOf(rows: readonly CqlRow[]): number[] {
  return rows.map(({ stream }) => mustBeWhole(stream))
}
