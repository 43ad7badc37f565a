/** The sample store over a disk that keeps only what was synced, through thousands of power cuts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roundsBy, testSeeds } from '../support/random.ts'
import { PowerTrial } from './power-trial.ts'

const CUTS = roundsBy({ everyRun: 200, nightly: 20_000 })
const CUTS_PER_TRIAL = 100

async function runTrial(
  seed: number,
  cuts: number,
  lostSyncs = 0,
): Promise<{ acknowledged: number; together: number }> {
  const trial = new PowerTrial(seed)
  trial.loseSyncs(lostSyncs)
  try {
    while (trial.cuts < cuts) await trial.live()
    const { acknowledged, together } = trial
    return { acknowledged, together }
  } catch (error) {
    throw new Error(`cut ${trial.cuts} of WEIR_TEST_SEED=${seed}`, { cause: error })
  } finally {
    trial.dispose()
  }
}

const seeds = testSeeds(Math.ceil(CUTS / CUTS_PER_TRIAL))
test(`no power cut loses what was acknowledged or invents anything, ${CUTS} cuts`, async (context) => {
  let acknowledged = 0
  let together = 0
  for (const seed of seeds) {
    context.diagnostic(`WEIR_TEST_SEED=${seed}`)
    const trial = await runTrial(seed, CUTS_PER_TRIAL)
    acknowledged += trial.acknowledged
    together += trial.together
  }
  context.diagnostic(`${acknowledged} changes were acknowledged`)
  context.diagnostic(`${together} times several segments were sealed in one pass`)
  assert.ok(acknowledged > seeds.length * CUTS_PER_TRIAL)
  assert.ok(together > seeds.length)
})

test('a disk that answers syncs without doing them does not get through', async () => {
  await assert.rejects(runTrial(seeds[0], 500, 0.2), /^Error: cut/)
})
