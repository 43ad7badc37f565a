import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ManualClock } from '../../../src/base/index.ts'
import { openClusterPayloads } from '../../../src/store/cassandra/index.ts'
import { payloadTables } from '../../../src/store/cassandra/payloads/payload-tables.ts'
import { WriterKeeper } from '../../../src/store/cassandra/payloads/writer-keeper.ts'
import { PayloadDamaged, type PayloadStore, type StreamHandle } from '../../../src/store/index.ts'
import {
  CONTRACT_BOUNDS,
  outcomeOf,
  payloadOf,
  payloadStoreContract,
} from '../../contract/payload-store-contract.ts'
import { cassandraSkip, openTestKeyspace, type TestKeyspace } from '../../support/cassandra.ts'

const skip = cassandraSkip()
let keyspace: TestKeyspace

const open = () => openClusterPayloads(keyspace.cluster, { bounds: CONTRACT_BOUNDS })

/** Forgets all that tests before have left. */
async function empty(): Promise<void> {
  const { cluster } = keyspace
  const partitions = { payload_page: 'connector', payload_writer: 'writer' }
  for (const [table, key] of Object.entries(partitions)) {
    for (const row of await cluster.run(`SELECT DISTINCT ${key} FROM ${table}`)) {
      await cluster.run(`DELETE FROM ${table} WHERE ${key} = ?`, [row[key]])
    }
  }
}

async function put(store: PayloadStore, number: number, body?: string): Promise<string> {
  const { uid, landed } = store.put(payloadOf(number, { body: body ?? 'short' }))
  await landed
  return uid
}

const keyOf = (uid: string) => ({ orgUid: 'org', connectorUid: 'c1', uid })
const START = 1_700_000_000_000

/** The parts of long bodies that are kept. */
async function countParts(): Promise<number> {
  return (await keyspace.cluster.run('SELECT name FROM payload_part')).length
}

function processCases(): void {
  test('what a process that lives has not settled is its own; of one that is gone another takes it over', async () => {
    await empty()
    const clock = new ManualClock(START)
    const killed = await openClusterPayloads(keyspace.cluster, { clock })
    const [first, second] = [await put(killed, 1), await put(killed, 2, 'x'.repeat(10_000))]
    await killed.settle(keyOf(first), outcomeOf(1))
    const later = new ManualClock(START + 10_000)
    const living = await openClusterPayloads(keyspace.cluster, { clock: later })
    assert.deepEqual(await living.listUnsettled(undefined, 10), [])
    assert.equal((await living.list('c1', { start: 0, limit: 10 })).totalCount, 2)
    await living.close()
    const beside = await open()
    assert.deepEqual(
      await beside.listUnsettled(undefined, 10),
      [keyOf(second)],
      'its lease is over',
    )
    await beside.close()
    await killed.close()
  })

  test('whoever has lost its lease writes nothing more of what another runs, and goes on under another id', async () => {
    await empty()
    const [clock, later] = [new ManualClock(START), new ManualClock(START + 60_000)]
    const deps = { cluster: keyspace.cluster, bounds: CONTRACT_BOUNDS }
    const stalled = new WriterKeeper({ ...deps, clock })
    await stalled.open()
    const { writer } = stalled.process
    const page = { orgUid: 'org', connectorUid: 'c1', uid: stalled.process.uids.next(START) }
    await stalled.process.pages.pageFor({ ...page, bytes: 1 }).opened
    stalled.require(writer)
    const other = new WriterKeeper({ ...deps, clock: later })
    await other.open()
    clock.advance(60_000)
    assert.throws(() => stalled.require(writer), { code: 'store_away' })
    await stalled.renew()
    assert.notEqual(stalled.process.writer, writer)
    assert.throws(() => stalled.require(writer), { code: 'store_away' })
    stalled.require(stalled.process.writer)
    await stalled.close()
    await other.close()
  })

  test('a payload is refused before it has a UID while its process is unsure of its lease', async () => {
    await empty()
    const clock = new ManualClock(START)
    const stalled = await openClusterPayloads(keyspace.cluster, { clock })
    clock.advance(20_000)
    for (const number of [1, 2]) {
      assert.throws(() => stalled.put(payloadOf(number)), { code: 'store_away', status: 503 })
    }
    assert.equal((await stalled.list('c1', { start: 0, limit: 10 })).totalCount, 0)
    await stalled.close()
  })

  test('a listener is told of what a process has left, while it has an outcome of none', async () => {
    await empty()
    const [clock, later] = [new ManualClock(START), new ManualClock(START)]
    const killed = await openClusterPayloads(keyspace.cluster, { clock })
    const deps = { cluster: keyspace.cluster, bounds: CONTRACT_BOUNDS }
    const keeper = new WriterKeeper({ ...deps, clock: later })
    await keeper.open()
    const told: unknown[] = []
    keeper.watchLeft((left) => told.push(left))
    const uid = await put(killed, 1)
    await keeper.look()
    assert.deepEqual(told, [])
    later.advance(60_000)
    await keeper.look()
    assert.deepEqual(told, [[keyOf(uid)]])
    assert.deepEqual(await keeper.listUnsettled('', 10), [keyOf(uid)])
    await keeper.close()
    await killed.close()
  })
}

function pageCases(): void {
  test('pages of which nothing is kept any more go with their parts, whoever wrote them', async () => {
    await empty()
    const [one, other] = [await open(), await open()]
    const before = await countParts()
    // Beside their queries: each of them needs twelve parts.
    const long = 'y'.repeat(3 * 1024 * 1024 - 10)
    const uids: string[] = []
    for (let number = 1; number <= 4; number += 1) uids.push(await put(one, number, long))
    await one.close()
    assert.equal(await countParts(), before + 12, 'the first page of three has gone')
    assert.equal((await other.get('c1', uids[3]))?.body, long)
    uids.push(await put(other, 5))
    await other.close()
    assert.equal(await countParts(), before)
    const again = await open()
    const { payloads } = await again.list('c1', { start: 0, limit: 10 })
    assert.deepEqual(
      payloads.map(({ uid }) => uid),
      [uids[4]],
    )
    await again.close()
  })

  test('content that does not check is told and left to nobody', async () => {
    await empty()
    const told: string[] = []
    const store = await openClusterPayloads(keyspace.cluster, {
      onDamage: (what) => told.push(what),
    })
    const [uid, whole] = [await put(store, 1, 'z'.repeat(600_000)), await put(store, 2)]
    const spans = [{ handle: 1 as StreamHandle, from: 5, count: 2 }]
    await store.keepAssigned(keyOf(whole), spans)
    const cql = 'DELETE FROM payload_part WHERE connector = ? AND name = ? AND part = 1'
    await keyspace.cluster.run(cql, ['c1', uid])
    await assert.rejects(store.get('c1', uid), PayloadDamaged)
    const found: string[] = []
    const onDamage = ({ what }: { what: string }) => void found.push(what)
    await store.scrub({ mayGoOn: async () => true, onChecked: () => {}, onDamage })
    assert.deepEqual(found, [`payload ${uid} does not check`])
    assert.deepEqual(told, [...found, ...found])
    assert.deepEqual((await store.get('c1', whole))?.assigned, spans)
    await store.deleteOf('c1')
    await store.close()
  })
}

if (skip !== false) test('payloads on Cassandra', { skip }, () => {})
else {
  before(async () => {
    keyspace = await openTestKeyspace('payloads', payloadTables)
  })
  after(() => keyspace?.dispose())
  payloadStoreContract('cassandra', async () => {
    await empty()
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
  pageCases()
}
