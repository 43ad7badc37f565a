/** kill -9 of the whole service amid puts, deletes, keys, delete profiles and files. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { caller, signIn } from '../../support/caller.ts'
import {
  type KilledService,
  startChildService,
  startLastService,
} from '../../support/child-service.ts'
import { Random, roundsBy, testSeeds } from '../../support/random.ts'
import * as workloads from './service-workloads.ts'

const ROUNDS = roundsBy({ everyRun: 3, nightly: 100 })
const PASSWORD = 'correct horse battery'
const SETTINGS = {
  WEIR_FEED_KEY: workloads.FEED_KEY,
  WEIR_RATE_LIMITS: 'off',
  WEIR_OWNER_PASSWORD: PASSWORD,
}
const MAIN = new URL('./crash-service.ts', import.meta.url)

/** Runs every workload until `enough` calls are acknowledged, and kills the service at that moment. */
async function workAndKill(
  service: KilledService,
  { all, who, enough }: { all: workloads.ServiceWorkload[]; who: workloads.Caller; enough: number },
): Promise<void> {
  const count = (): number => all.reduce((sum, workload) => sum + workload.acknowledged, 0)
  const until = count() + enough
  let gone: Promise<void> | undefined
  const isEnough = (): boolean => {
    if (count() >= until) gone ??= service.kill()
    return gone !== undefined
  }
  const ends = await Promise.allSettled(all.map((workload) => workload.work(who, isEnough)))
  const reasons = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
  // A call that the kill cut off fails in fetch; anything else is a wrong answer.
  const wrong = reasons.find(
    (reason) => gone === undefined || reason instanceof assert.AssertionError,
  )
  await service.kill()
  if (wrong !== undefined) throw wrong
}

const [seed] = testSeeds(1)
test(`kill -9 keeps deletes, keys, profiles and files, ${ROUNDS} rounds (WEIR_TEST_SEED=${seed})`, async (context) => {
  const random = new Random(seed)
  const dataDir = mkdtempSync(join(tmpdir(), 'weir-kill-'))
  let service: KilledService = await startChildService(dataDir, SETTINGS, MAIN)
  context.after(async () => {
    await service.kill()
    rmSync(dataDir, { recursive: true })
  })
  // One session for all rounds: it was acknowledged, too.
  const session = await signIn(service, 'owner@localhost', PASSWORD)
  const callerOf = ({ url }: KilledService) => ({ url, owner: caller({ url }, session) })
  const expiring = new workloads.ExpiringWorkload(random)
  await expiring.prepare(callerOf(service))
  const all = [
    ...['a', 'b', 'c'].map((comp) => new workloads.SampleWorkload(random, comp)),
    new workloads.KeyWorkload(random),
    new workloads.ProfileWorkload(random),
    new workloads.FileWorkload(random),
    expiring,
  ]
  for (let round = 1; round <= ROUNDS; round += 1) {
    const enough = random.pick([1, 10, 50, 150])
    await workAndKill(service, { all, who: callerOf(service), enough })
    service =
      round === ROUNDS
        ? await startLastService(dataDir, SETTINGS)
        : await startChildService(dataDir, SETTINGS, MAIN)
    for (const workload of all) await workload.check(callerOf(service))
  }
  context.diagnostic(`${all.map((workload) => workload.acknowledged)} calls were acknowledged`)
})
