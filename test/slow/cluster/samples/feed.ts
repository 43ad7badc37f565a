import { test } from 'node:test'
import { ManualClock } from '../../../../src/base/index.ts'
import type { ClusterSamples } from '../../../../src/store/cassandra/index.ts'
import { followModel, MODEL_NOW } from '../../../support/feed-model.ts'
import { startService } from '../../../support/service.ts'
import { OwnStreams, openProcess, reportEnds } from './home.ts'

/** The service itself over samples in a cluster, by its calls. */
export function feedTests(skip: string | false): void {
  test('PUT, DELETE and GET follow a plain model on a cluster', { skip }, async (t) => {
    const clock = new ManualClock(MODEL_NOW)
    const streams = new OwnStreams()
    let process: ClusterSamples | undefined
    const wrapSamples = async () => {
      // A restart finds what the process before has compacted.
      streams.clock.advance(60_000)
      await reportEnds()
      for (let stream = 1; stream <= 3; stream += 1) {
        await process?.compaction.compact(streams.handleOf(stream))
      }
      process = await openProcess(streams.clock)
      return streams.shift(process)
    }
    const service = await startService({ clock, wrapSamples })
    t.after(() => service.close())
    await followModel(service, clock, 3)
  })
}
