/** Random operations on the embedded store against a plain model, with seals and restarts between. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type EmbeddedSampleStore, openSampleStore } from '../../src/store/embedded/index.ts'
import { Random, roundsOf, testSeeds } from '../support/random.ts'
import { SampleTrial } from './sample-trial.ts'

async function tryEmbedded(seed: number, steps: number, textShare: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-model-'))
  const random = new Random(seed)
  let store: EmbeddedSampleStore | undefined
  const open = async () => {
    const segmentBytes = random.pick([8 * 1024, 64 * 1024, 256 * 1024])
    store = await openSampleStore({ folder, segmentBytes })
    return store
  }
  const trial = new SampleTrial({ open, seal: async () => store?.sealAll() }, random, textShare)
  try {
    await trial.run(steps)
  } finally {
    await trial.dispose()
    rmSync(folder, { recursive: true })
  }
}

for (const seed of testSeeds(roundsOf(2))) {
  test(`EmbeddedSampleStore holds what the model holds (WEIR_TEST_SEED=${seed})`, () =>
    tryEmbedded(seed, 80, 0.05))

  test(`it keeps texts of every shape, sealed and reopened (WEIR_TEST_SEED=${seed})`, () =>
    tryEmbedded(seed, 60, 0.9))

  test(`windows of numbers have the bits that their samples give (WEIR_TEST_SEED=${seed})`, () =>
    tryEmbedded(seed, 80, 0))
}
