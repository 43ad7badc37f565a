/** kill -9 of the whole service while streams are derived: nothing that was acknowledged stays underived. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Call, caller, signIn } from '../../support/caller.ts'
import {
  type KilledService,
  startChildService,
  startLastService,
} from '../../support/child-service.ts'
import { Random, roundsBy, testSeeds } from '../../support/random.ts'
import { eventually } from '../../support/settle.ts'

const ROUNDS = roundsBy({ everyRun: 3, nightly: 100 })
const PASSWORD = 'correct horse battery'
const SETTINGS = { WEIR_RATE_LIMITS: 'off', WEIR_OWNER_PASSWORD: PASSWORD }
const MAIN = new URL('./crash-service.ts', import.meta.url)

/** What the source holds, as far as calls were answered; those cut off may have been stored or not. */
type Model = Map<number, number>

const derived = (
  id: string,
  expression: string,
  streamId: string,
  followsCorrections: boolean,
) => ({
  id,
  derivation: { expression, variables: [{ name: 'v', streamId }], followsCorrections },
})

async function prepare(owner: Call): Promise<void> {
  const stream = [
    { id: 'a', valueType: 'DOUBLE' },
    derived('grows', 'v * 2', 'a', false),
    derived('behind', 'v + 1', 'grows', false),
    derived('true_to', 'v * 3', 'a', true),
    derived('chained', 'v + 1', 'true_to', true),
  ]
  const made = await owner('PUT', '/api/component', { component: { id: 'c', stream } })
  assert.equal(made.status, 200, made.text)
}

async function read(owner: Call, streamId: string): Promise<[number, number][]> {
  const { body } = await owner('GET', `/api/comp/c/stream/${streamId}/feed?limit=1000`)
  return body.map(({ time, data }: { time: number; data: number }) => [time, data]).reverse()
}

/** Appends and corrects until the service is killed amid it. */
async function workAndKill(
  random: Random,
  { owner, kill }: { owner: Call; kill: () => Promise<void> },
  model: Model,
): Promise<void> {
  let gone: Promise<void> | undefined
  const enough = random.integer(3, 25)
  try {
    for (let call = 0; ; call += 1) {
      if (call >= enough) gone ??= kill()
      const last = Math.max(0, ...model.keys())
      const isLate = model.size > 0 && random.next() < 0.4
      const time = isLate ? random.pick([...model.keys()]) : last + random.integer(1, 5)
      const data = random.integer(0, 1_000)
      const { status } = await owner('PUT', '/api/feed', [
        { compId: 'c', streamId: 'a', time, data },
      ])
      assert.equal(status, 200)
      model.set(time, data)
    }
  } catch (error) {
    if (gone === undefined || error instanceof assert.AssertionError) throw error
  }
  await gone
}

/** Waits until what is derived follows from what the source holds. */
async function check(owner: Call): Promise<void> {
  const source = await read(owner, 'a')
  const expected = {
    true_to: source.map(([time, value]) => [time, value * 3]),
    chained: source.map(([time, value]) => [time, value * 3 + 1]),
  }
  const times = source.map(([time]) => time)
  await eventually(async () => {
    const found = { true_to: await read(owner, 'true_to'), chained: await read(owner, 'chained') }
    const [grows, behind] = [await read(owner, 'grows'), await read(owner, 'behind')]
    assert.deepEqual(found, expected)
    assert.deepEqual(
      grows.map(([time]) => time),
      times,
    )
    assert.deepEqual(
      behind,
      grows.map(([time, value]) => [time, value + 1]),
    )
  })
}

const [seed] = testSeeds(1)
test(`kill -9 leaves nothing underived, ${ROUNDS} rounds (WEIR_TEST_SEED=${seed})`, async (context) => {
  const random = new Random(seed)
  const dataDir = mkdtempSync(join(tmpdir(), 'weir-derive-kill-'))
  let service: KilledService = await startChildService(dataDir, SETTINGS, MAIN)
  context.after(async () => {
    await service.kill()
    rmSync(dataDir, { recursive: true })
  })
  const session = await signIn(service, 'owner@localhost', PASSWORD)
  await prepare(caller(service, session))
  const model: Model = new Map()
  for (let round = 1; round <= ROUNDS; round += 1) {
    const kill = () => service.kill()
    await workAndKill(random, { owner: caller(service, session), kill }, model)
    service =
      round === ROUNDS
        ? await startLastService(dataDir, SETTINGS)
        : await startChildService(dataDir, SETTINGS, MAIN)
    const owner = caller(service, session)
    await check(owner)
    const source = new Map(await read(owner, 'a'))
    for (const time of model.keys())
      assert.ok(source.has(time), `an answered put at ${time} is lost`)
    for (const [time, value] of source) model.set(time, value)
  }
})
