/** kill -9 amid calls of a sink: what was acknowledged is there, and nothing is there twice. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Call, caller, signIn } from '../../support/caller.ts'
import {
  type KilledService,
  startChildService,
  startLastService,
} from '../../support/child-service.ts'
import { callSink, VALUES_SQL, valuesBody } from '../../support/connector-home.ts'
import { Random, roundsBy, testSeeds } from '../../support/random.ts'
import { eventually } from '../../support/settle.ts'

const ROUNDS = roundsBy({ everyRun: 3, nightly: 100 })
const PASSWORD = 'correct horse battery'
const KEY = '0f0e0d0c-1111-4222-8333-444455556666'
const SETTINGS = {
  WEIR_FEED_KEY: KEY,
  WEIR_RATE_LIMITS: 'off',
  WEIR_OWNER_PASSWORD: PASSWORD,
  // What only this test needs beside the service.
  WEIR_SQL_RUNNERS: '2',
}
const WORKLOADS = 6
const ROWS = 3

const dataDir = mkdtempSync(join(tmpdir(), 'weir-sink-kill-'))
let service: KilledService
let hook: Awaited<ReturnType<typeof makeHook>>
before(async () => {
  service = await startChildService(dataDir, SETTINGS)
  hook = await makeHook()
})
after(async () => {
  await service?.kill()
  rmSync(dataDir, { recursive: true })
})

/** Sends numbers until enough are acknowledged, then kills; returns those. */
async function sendAndKill(
  orgUid: string,
  { first, enough }: { first: number; enough: number },
): Promise<{ acknowledged: number[]; next: number }> {
  const acknowledged: number[] = []
  let next = first
  let gone: Promise<void> | undefined
  const worker = async (): Promise<void> => {
    while (gone === undefined) {
      const x = next++
      // Rows without a time of one stream follow one another and meet those of calls beside them.
      const rows = Array.from({ length: ROWS }, (_, row) => x * ROWS + row)
      const body = valuesBody('killed', ...rows.map((value) => ({ s: 'n', x: value })))
      const answer = await callSink(service, { orgUid, id: 'hook' }, { key: KEY, body }).catch(
        (error: unknown) => {
          if (gone === undefined) throw error
        },
      )
      if (answer === undefined) return
      assert.equal(answer.status, 200, answer.text)
      acknowledged.push(...rows)
      if (acknowledged.length >= enough) gone ??= service.kill()
    }
  }
  await Promise.all(Array.from({ length: WORKLOADS }, worker))
  await gone
  return { acknowledged, next }
}

async function storedValues(owner: Call): Promise<number[]> {
  const values: number[] = []
  for (let ed = Number.MAX_SAFE_INTEGER; ; ) {
    const query = values.length === 0 ? '' : `?ed=${ed}`
    const read = await owner('GET', `/api/comp/killed/stream/n/feed${query}`)
    assert.equal(read.status, 200, read.text)
    if (read.body.length === 0) return values
    for (const { time, data } of read.body) {
      values.push(data)
      ed = Math.min(ed, time)
    }
  }
}

async function makeHook() {
  const session = await signIn(service, 'owner@localhost', PASSWORD)
  const owner = caller(service, session)
  const users = await owner('GET', '/api/org_user')
  const organizations = await owner('GET', '/api/organization')
  const orgUid: string = organizations.body.organization[0].uid
  const made = await owner('PUT', '/api/connector', {
    connector: {
      id: 'hook',
      runningUser: { uid: users.body.org_user[0].uid },
      procs: [{ sql: VALUES_SQL }],
    },
  })
  assert.equal(made.status, 200, made.text)
  const connectorUid: string = made.body.connector.uid
  return { session, owner, orgUid, connectorUid }
}

/** A start runs what was cut short, in some seconds at most. */
async function waitUntilSettled(owner: Call, connectorUid: string): Promise<void> {
  await eventually(async () => {
    const kept = await owner('GET', `/api/connector/${connectorUid}/payload`)
    const open = kept.body.payload.filter(({ status }: { status: string }) => status !== 'DONE')
    assert.deepEqual(open, [], 'every payload has come to its end')
  })
}

test('samples of a webhook that are changed or deleted stay so over kill -9', async () => {
  const { session, owner, orgUid, connectorUid } = hook
  const time = 1_700_000_000_000
  const rows = ['changed', 'deleted'].map((s) => ({ s, x: 1, t: time }))
  const sent = { key: KEY, body: valuesBody('killed', ...rows) }
  const answer = await callSink(service, { orgUid, id: 'hook' }, sent)
  assert.equal(answer.status, 200, answer.text)
  const range = `sd=${time}&ed=${time + 1}`
  const [put, removed] = await Promise.all([
    owner('PUT', `/api/feed?compId=killed&changed=2&time=${time}`),
    owner('DELETE', `/api/comp/killed/stream/deleted/feed?${range}`),
  ])
  await service.kill()
  assert.deepEqual([put.status, removed.status], [200, 200])

  service = await startChildService(dataDir, SETTINGS)
  const later = caller(service, session)
  await waitUntilSettled(later, connectorUid)
  const read = await later('GET', '/api/comp/killed/feed?retStreamId')
  assert.deepEqual(read.body, [{ streamId: 'changed', time, data: 2 }])
})

const [seed] = testSeeds(1)
test(`kill -9 amid webhooks loses none that was acknowledged and doubles none, ${ROUNDS} rounds (WEIR_TEST_SEED=${seed})`, async (t) => {
  const random = new Random(seed)
  const { session, orgUid, connectorUid } = hook
  const all: number[] = []
  let first = 0
  for (let round = 1; round <= ROUNDS; round += 1) {
    const enough = random.pick([1, 10, 60, 200])
    const { acknowledged, next } = await sendAndKill(orgUid, { first, enough })
    all.push(...acknowledged)
    first = next
    const start = round === ROUNDS ? startLastService : startChildService
    service = await start(dataDir, SETTINGS)
    const owner = caller(service, session)
    await waitUntilSettled(owner, connectorUid)
    const stored = await storedValues(owner)
    const counts = Map.groupBy(stored, (value) => value)
    assert.deepEqual(
      all.filter((value) => !counts.has(value)),
      [],
      'acknowledged and lost',
    )
    assert.deepEqual(
      [...counts].filter(([, found]) => found.length > 1).map(([value]) => value),
      [],
      'stored twice',
    )
  }
  t.diagnostic(`${all.length} calls were acknowledged`)
})
