import { test } from 'node:test'
import type { ClusterSamples } from '../../../../src/store/cassandra/index.ts'
import type { SampleStore } from '../../../../src/store/index.ts'
import { SampleTrial, type TriedStore } from '../../../store/sample-trial.ts'
import { Random, testSeeds } from '../../../support/random.ts'
import { OwnStreams, openProcess, reportEnds } from './home.ts'

/** Two processes of which each call goes to one. */
class TwoProcesses implements TriedStore {
  readonly #streams = new OwnStreams()
  readonly #random: Random
  #stores: ClusterSamples[] = []

  constructor(random: Random) {
    this.#random = random
  }

  async open(): Promise<SampleStore> {
    const { clock } = this.#streams
    this.#stores = [await openProcess(clock), await openProcess(clock)]
    const [first, second] = this.#stores.map((store) => this.#streams.shift(store))
    const either = () => {
      // Calls of two processes within one tick have no order.
      clock.advance(5)
      return this.#random.next() < 0.5 ? first : second
    }
    return {
      ...first,
      append: (batch) => either().append(batch),
      remove: (removal, isWanted) => either().remove(removal, isWanted),
      range: (handle, query) => either().range(handle, query),
      latest: (handles) => either().latest(handles),
      span: (handle) => either().span(handle),
      fold: (handle, edges) => either().fold(handle, edges),
      outline: (handle, edges) => either().outline(handle, edges),
      windows: (handle, edges, statistic) => either().windows(handle, edges, statistic),
      forget: async (handles) => {
        await first.forget(handles)
        await second.forget(handles)
      },
      close: async () => {
        await first.close()
        await second.close()
      },
    }
  }

  async seal(_: SampleStore, streams: readonly number[]): Promise<void> {
    const random = this.#random
    this.#streams.clock.advance(random.pick([10_000, 30_000, 200_000, 26 * 3_600_000]))
    if (random.next() < 0.7) await reportEnds()
    const { compaction } = random.pick(this.#stores)
    for (const stream of streams) {
      if (random.next() < 0.7) await compaction.compact(this.#streams.handleOf(stream))
    }
  }
}

/**
 * Random operations against a plain model: through two processes in turn, with compaction, restarts, and
 * deletions of what compaction replaced between.
 */
export function modelTests(skip: string | false): void {
  for (const seed of testSeeds(1)) {
    const name = `samples in a cluster are what the model holds (WEIR_TEST_SEED=${seed})`
    test(name, { skip }, async () => {
      const random = new Random(seed)
      const trial = new SampleTrial(new TwoProcesses(random), random, 0.1)
      try {
        await trial.run(40, 10)
      } finally {
        await trial.dispose()
      }
    })
  }
}
