import { test } from 'node:test'
import type { ClusterSamples } from '../../../../src/store/cassandra/index.ts'
import { seed } from '../../../support/calendar-oracle.ts'
import { liveThrough } from '../../../support/living-streams.ts'
import { OwnStreams, openProcess, reportEnds } from './home.ts'

/** Statistics against plain arithmetic while streams live in a cluster, with compaction between. */
export function statisticTests(skip: string | false): void {
  test(`statistics of streams in a cluster stay exact (seed ${seed})`, { skip }, async () => {
    const streams = new OwnStreams()
    let process: ClusterSamples | undefined
    const open = async () => {
      process = await openProcess(streams.clock)
      return streams.shift(process)
    }
    const seal = async (_: unknown, some: readonly number[]) => {
      streams.clock.advance(200_000)
      await reportEnds()
      for (const one of some) await process?.compaction.compact(streams.handleOf(one))
    }
    await liveThrough({ open, seal }, { streams: 2, operations: 16 })
  })
}
