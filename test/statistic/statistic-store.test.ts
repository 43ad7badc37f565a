/**
 * Statistics against plain arithmetic while a stream lives its life on the real store: appends in
 * order and late, overwrites, removals, rising floors, sealed segments and restarts.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type EmbeddedSampleStore, openSampleStore } from '../../src/store/embedded/index.ts'
import { seed } from '../support/calendar-oracle.ts'
import { liveThrough } from '../support/living-streams.ts'

test(`statistics stay exact whatever happens to a stream (seed ${seed})`, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-statistic-'))
  let store: EmbeddedSampleStore | undefined
  const open = async () => {
    store = await openSampleStore({ folder, segmentBytes: 32_768 })
    return store
  }
  try {
    const seal = async () => store?.sealAll()
    await liveThrough({ open, seal }, { streams: 6, operations: 24 })
  } finally {
    await rm(folder, { recursive: true })
  }
})
