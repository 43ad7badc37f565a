import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ManualClock } from '../../../src/base/index.ts'
import type { PayloadStore } from '../../../src/store/index.ts'
import { type Database, openPostgresPayloads } from '../../../src/store/postgres/index.ts'
import { PayloadWriter } from '../../../src/store/postgres/payloads/payload-lease.ts'
import {
  CONTRACT_BOUNDS,
  outcomeOf,
  payloadOf,
  payloadStoreContract,
} from '../../contract/payload-store-contract.ts'
import { makePostgresHome, type PostgresHome } from '../../support/postgres-home.ts'
import { postgresqlSkip } from '../../support/postgresql-server.ts'

const skip = postgresqlSkip()
const START = 1_700_000_000_000
const keyOf = (uid: string) => ({ orgUid: 'org', connectorUid: 'c1', uid })

let shared: Promise<{ home: PostgresHome; database: Database }> | undefined

/** An empty schema, whose tables every test here has in its turn. */
async function empty(): Promise<Database> {
  shared ??= makePostgresHome().then(async (home) => ({ home, database: await home.open() }))
  const { home, database } = await shared
  await home.ask('TRUNCATE payload, payload_run, payload_writer')
  return database
}

async function put(store: PayloadStore, number: number, body = 'short'): Promise<string> {
  const { uid, landed } = store.put(payloadOf(number, { body }))
  await landed
  return uid
}

function processCases(): void {
  test('what a living process has not settled is its own; of one that is gone another takes it over', async () => {
    const database = await empty()
    const clock = new ManualClock(START)
    const killed = await openPostgresPayloads(database, { clock })
    const [first, second] = [await put(killed, 1), await put(killed, 2, 'x'.repeat(10_000))]
    await killed.settle(keyOf(first), outcomeOf(1))
    const later = new ManualClock(START + 10_000)
    const living = await openPostgresPayloads(database, { clock: later })
    assert.deepEqual(await living.listUnsettled(undefined, 10), [])
    assert.equal((await living.list('c1', { start: 0, limit: 10 })).totalCount, 2)
    later.advance(30_000)
    assert.deepEqual(await living.listUnsettled(undefined, 10), [keyOf(second)])
    assert.equal((await living.get('c1', second))?.body?.length, 10_000)
    // Who stood still meanwhile writes nothing more of what the other runs.
    await assert.rejects(killed.settle(keyOf(second), outcomeOf(9)), { code: 'store_away' })
    await living.settle(keyOf(second), outcomeOf(2))
    assert.deepEqual((await killed.get('c1', second))?.outcome, outcomeOf(2))
    await living.close()
    await killed.close()
  })

  test('what a process leaves when it closes another takes over at once, each once', async () => {
    const database = await empty()
    const leaving = await openPostgresPayloads(database)
    const uids: string[] = []
    for (let number = 0; number < 20; number += 1) uids.push(await put(leaving, number))
    const others = await Promise.all([1, 2, 3].map(() => openPostgresPayloads(database)))
    await leaving.close()
    const taken = await Promise.all(others.map((one) => one.listUnsettled(undefined, 100)))
    assert.deepEqual(
      taken
        .flat()
        .map(({ uid }) => uid)
        .sort(),
      uids,
    )
    for (const one of others) await one.close()
  })

  test('who has lost its lease goes on under another name, and is refused while it is unsure', async () => {
    const database = await empty()
    const clock = new ManualClock(START)
    const writer = new PayloadWriter(database, clock)
    await writer.open()
    const before = writer.name
    writer.require()
    clock.advance(20_000)
    assert.throws(() => writer.require(), { code: 'store_away', status: 503 })
    await writer.renew()
    assert.equal(writer.name, before)
    writer.require()
    clock.advance(60_000)
    await writer.renew()
    assert.notEqual(writer.name, before)
    writer.require()
    await writer.close()
  })

  test('a listener receives payloads of a dead process that have no outcome', async () => {
    const database = await empty()
    const [clock, later] = [new ManualClock(START), new ManualClock(START)]
    const killed = await openPostgresPayloads(database, { clock })
    const writer = new PayloadWriter(database, later)
    await writer.open()
    const reported: unknown[] = []
    writer.watchLeft((left) => reported.push(left))
    const uid = await put(killed, 1)
    await writer.look()
    assert.deepEqual(reported, [])
    later.advance(60_000)
    await writer.renew()
    await writer.look()
    assert.deepEqual(reported, [[keyOf(uid)]])
    assert.deepEqual(await writer.listUnsettled('', 10), [keyOf(uid)])
    await writer.close()
    await killed.close()
  })

  test('what is beyond the bounds is deleted', async () => {
    const database = await empty()
    const store = await openPostgresPayloads(database, { bounds: CONTRACT_BOUNDS })
    for (let number = 0; number < 50; number += 1) {
      const uid = await put(store, number)
      for (const samples of [1, 2, 3]) await store.settle(keyOf(uid), outcomeOf(samples))
    }
    await store.close()
    const [[payloads, runs]] = await database.read(
      'SELECT (SELECT count(*) FROM payload), (SELECT count(*) FROM payload_run)',
    )
    assert.ok(Number(payloads) <= 2 * CONTRACT_BOUNDS.countMax, String(payloads))
    assert.ok(Number(runs) <= 3 * CONTRACT_BOUNDS.countMax, String(runs))
  })
}

if (skip !== false) test('payloads in PostgreSQL', { skip }, () => {})
else {
  after(async () => {
    await (await shared)?.database.close()
  })
  payloadStoreContract('postgres', async () => {
    const database = await empty()
    const open = () => openPostgresPayloads(database, { bounds: CONTRACT_BOUNDS })
    let store = await open()
    return {
      store,
      reopen: async () => {
        await store.close()
        store = await open()
        return store
      },
      dispose: () => store.close(),
    }
  })
  processCases()
}
