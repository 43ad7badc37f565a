/** kill -9 of the whole service amid a job over history: the next start goes on with it, and nothing is left out. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { type Call, caller, signIn } from '../../support/caller.ts'
import {
  type KilledService,
  startChildService,
  startLastService,
} from '../../support/child-service.ts'
import { Random, roundsBy, testSeeds } from '../../support/random.ts'
import { PATIENCE_MS } from '../../support/settle.ts'

const ROUNDS = roundsBy({ everyRun: 2, nightly: 100 })
const PASSWORD = 'correct horse battery'
const SETTINGS = { WEIR_RATE_LIMITS: 'off', WEIR_OWNER_PASSWORD: PASSWORD }
/** Many blocks of a job, so that a kill falls between two of them. */
const SAMPLES = roundsBy({ everyRun: 30_000, nightly: 100_000 })
const PAGE = 1_000

interface Made {
  readonly path: string
  readonly id: string
}

/** A component with history, and a stream whose formula came later and takes its time. */
async function make(owner: Call, id: string): Promise<Made> {
  const made = await owner('PUT', '/api/component', {
    component: { id, stream: [{ id: 'a', valueType: 'DOUBLE' }] },
  })
  assert.equal(made.status, 200, made.text)
  const feed = Array.from({ length: SAMPLES }, (_, at) => ({
    compId: id,
    streamId: 'a',
    time: 1_000 * at,
    data: at,
  }))
  const put = await owner('PUT', '/api/feed', feed)
  assert.equal(put.status, 200, put.text)
  const { uid } = made.body.component
  const derivation = {
    expression: "a + len(dtFormatter(a, 'yyyy-MM-dd HH:mm:ss', 'Europe/Berlin'))",
    variables: [{ name: 'a', streamId: 'a' }],
  }
  const derived = await owner('PUT', `/api/component/${uid}/stream`, {
    stream: { id: 'd', derivation },
  })
  assert.equal(derived.status, 200, derived.text)
  return { path: `/api/component/${uid}/stream/${derived.body.stream.uid}`, id }
}

async function begin(owner: Call, { path }: Made): Promise<string> {
  const begun = await owner('POST', `${path}/derive`, {})
  assert.equal(begun.status, 202, begun.text)
  return begun.body.job.uid
}

/** The job once it has come so far, or is over. */
async function jobWhen(owner: Call, uid: string, doneMin: number) {
  const deadline = performance.now() + PATIENCE_MS
  while (performance.now() < deadline) {
    const { status, text, body } = await owner('GET', `/api/job/${uid}`)
    assert.equal(status, 200, text)
    if (body.job.status !== 'RUNNING' || body.job.done >= doneMin) return body.job
    await wait(doneMin === Number.POSITIVE_INFINITY ? 20 : 1)
  }
  throw new Error(`the job does not come to ${doneMin}`)
}

async function countStored(owner: Call, { path }: Made): Promise<number> {
  const { body, text } = await owner('GET', path)
  assert.equal(body.stream.derivationStatus.lastError, null, text)
  return body.stream.derivationStatus.sampleCount
}

/** Every result is there and right, and deriving all of it again finds nothing to change. */
async function check(owner: Call, made: Made): Promise<void> {
  for (let from = 0; from < SAMPLES; from += PAGE) {
    const range = `sd=${1_000 * from}&ed=${1_000 * (from + PAGE) - 1}`
    const { body } = await owner('GET', `/api/comp/${made.id}/stream/d/feed?${range}&limit=1000`)
    const found = body.map(({ time, data }: { time: number; data: number }) => [time, data])
    const expected = Array.from({ length: PAGE }, (_, at) => [1_000 * (from + at), from + at + 19])
    assert.deepEqual(found.reverse(), expected)
  }
  const before = await countStored(owner, made)
  const again = await jobWhen(owner, await begin(owner, made), Number.POSITIVE_INFINITY)
  assert.equal(again.status, 'DONE', JSON.stringify(again))
  assert.equal(await countStored(owner, made), before)
}

const [seed] = testSeeds(1)
test(`a job that was killed goes on, ${ROUNDS} rounds (WEIR_TEST_SEED=${seed})`, async (context) => {
  const random = new Random(seed)
  const dataDir = mkdtempSync(join(tmpdir(), 'weir-history-kill-'))
  let service: KilledService = await startChildService(dataDir, SETTINGS)
  context.after(async () => {
    await service.kill()
    rmSync(dataDir, { recursive: true })
  })
  const session = await signIn(service, 'owner@localhost', PASSWORD)
  for (let round = 1; round <= ROUNDS; round += 1) {
    const made = await make(caller(service, session), `c${round}`)
    const uid = await begin(caller(service, session), made)
    const doneMin = random.integer(1, 1_000 * SAMPLES * 0.6)
    const then = await jobWhen(caller(service, session), uid, doneMin)
    await service.kill()
    context.diagnostic(`killed at ${then.done} of ${then.total}, ${then.status}`)
    const start = round === ROUNDS ? startLastService : startChildService
    service = await start(dataDir, SETTINGS)
    const owner = caller(service, session)
    const job = await jobWhen(owner, uid, Number.POSITIVE_INFINITY)
    assert.deepEqual([job.status, job.done, job.message], ['DONE', job.total, ''])
    await check(owner, made)
  }
})
