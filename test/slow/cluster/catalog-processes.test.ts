import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ManualClock, systemClock } from '../../../src/base/index.ts'
import { catalogTables } from '../../../src/store/cassandra/catalog/catalog-tables.ts'
import { CommitLog } from '../../../src/store/cassandra/catalog/commit-log.ts'
import { NO_EFFECTS } from '../../../src/store/cassandra/catalog/log-entry.ts'
import { Cluster, openClusterCatalog } from '../../../src/store/cassandra/index.ts'
import { CatalogConflict, type CatalogStore, type PutDocument } from '../../../src/store/index.ts'
import { cassandraSkip, openTestKeyspace, type TestKeyspace } from '../../support/cassandra.ts'

const skip = cassandraSkip()
let keyspace: TestKeyspace
let otherCluster: Cluster

function put(uid: string, more: Partial<PutDocument> = {}): PutDocument {
  return { op: 'put', orgUid: 'o', kind: 'unit', uid, body: { uid }, expectedRevision: 0, ...more }
}

/** Two processes on one keyspace: nothing is shared but the cluster. */
async function openTwo(clock = new ManualClock(systemClock.now())): Promise<CatalogStore[]> {
  return [
    await openClusterCatalog(keyspace.cluster, { clock }),
    await openClusterCatalog(otherCluster, { clock }),
  ]
}

function processCases(): void {
  test('what one process has committed the next read through the other sees', async () => {
    const [one, other] = await openTwo()
    for (let round = 0; round < 10; round++) {
      const [from, to] = round % 2 === 0 ? [one, other] : [other, one]
      await from.commit([put(`seen${round}`, { claims: [`seen:${round}`] })])
      assert.deepEqual((await to.get(put(`seen${round}`)))?.body, { uid: `seen${round}` })
      assert.equal((await to.findByClaim('o', `seen:${round}`))?.uid, `seen${round}`)
    }
  })

  test('of processes that race for claims and revisions one wins each, and counts stay exact', async () => {
    const stores = await openTwo()
    const base = (await stores[0].usage('o')).find(({ kind }) => kind === 'unit')?.documents ?? 0
    const rounds = 12
    let made = 0
    for (let round = 0; round < rounds; round++) {
      const racers = stores.map((store, at) =>
        store.commit([put(`race${round}-${at}`, { claims: [`race:${round}`] })]),
      )
      const outcomes = await Promise.allSettled(racers)
      const won = outcomes.filter(({ status }) => status === 'fulfilled')
      assert.equal(won.length, 1)
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') assert.ok(outcome.reason instanceof CatalogConflict)
      }
      made += won.length
    }
    const usage = (await stores[1].usage('o')).find(({ kind }) => kind === 'unit')
    assert.equal(usage?.documents, base + made)
    const list = await stores[1].list({ orgUid: 'o', kind: 'unit', start: 0, limit: 1_000 })
    assert.equal(list.documents.length, base + made)
  })

  test('a commit is refused for a claim only when all of the commit that has the claim can be read', async (t) => {
    const [winner, loser] = await openTwo()
    const claimed = Promise.withResolvers<void>()
    const refused = Promise.withResolvers<void>()
    const runs = [keyspace.cluster, otherCluster].map((cluster) => cluster.run.bind(cluster))
    // The winner has written its claim and not yet its row of the list.
    t.mock.method(keyspace.cluster, 'run', async (...args: Parameters<Cluster['run']>) => {
      if (args[0].startsWith('INSERT INTO listing')) await refused.promise
      const rows = await runs[0](...args)
      if (args[0].startsWith('INSERT INTO claim')) claimed.resolve()
      return rows
    })
    let winning: Promise<unknown> | undefined
    // The loser reads claims after it has read the log.
    t.mock.method(otherCluster, 'run', async (...args: Parameters<Cluster['run']>) => {
      if (winning === undefined && args[0].includes('FROM claim')) {
        winning = winner.commit([put('won', { claims: ['half'] })])
        await claimed.promise
      }
      return await runs[1](...args)
    })
    await assert.rejects(loser.commit([put('lost', { claims: ['half'] })]), CatalogConflict)
    const list = await loser.list({ orgUid: 'o', kind: 'unit', start: 0, limit: 1_000 })
    assert.ok(list.documents.some(({ uid }) => uid === 'won'))
    refused.resolve()
    await winning
  })

  test('handles that processes give at once are all different', async () => {
    const stores = await openTwo()
    const commits = stores.flatMap((store, at) =>
      Array.from({ length: 10 }, (_, count) =>
        store.commit([put(`s${at}-${count}`, { kind: 'stream' })]),
      ),
    )
    const handles = (await Promise.all(commits)).flat().map(({ handle }) => handle)
    assert.equal(new Set(handles).size, 20)
  })

  test('every process is told each change of all of them once, in one order', async () => {
    const stores = await openTwo()
    const { cursor } = await lastOf(stores[0])
    await Promise.all(
      stores.flatMap((store, at) =>
        Array.from({ length: 5 }, (_, count) => store.commit([put(`told${at}-${count}`)])),
      ),
    )
    const [told, toldOther] = await Promise.all(
      stores.map((store) => store.changesSince(cursor, 99)),
    )
    assert.equal(told.changes.length, 10)
    for (const [at, { changes }] of [told, toldOther].entries()) {
      const own = changes.filter(({ isOwn }) => isOwn).map(({ uid }) => uid)
      assert.deepEqual(
        own.toSorted(),
        [0, 1, 2, 3, 4].map((count) => `told${at}-${count}`),
      )
    }
    const anyones = ({ changes, cursor: last }: typeof told) => ({
      ...{ cursor: last, changes: changes.map(({ isOwn: _, ...change }) => change) },
    })
    assert.deepEqual(anyones(told), anyones(toldOther))
  })

  test('a commit whose process died after it was decided is made by the next', async () => {
    const [one] = await openTwo()
    await one.commit([put('before', { listKey: 'k' })])
    await one.close()
    const [dying, other] = await openTwo()
    await dying.commit([put('more')])
    const head = await headOf()
    const document = {
      ...{ org: 'o', kind: 'unit', uid: 'decided', parent: '', revision: 1, listKey: 'x' },
      ...{ expiresAt: null, handle: 0, index: null, claims: [], shard: 0, bytes: 10, body: '{}' },
    }
    const effects = {
      ...{ ...NO_EFFECTS, puts: [document] },
      changes: [['o', 'unit', 'decided', '', 0] as const],
    }
    await new CommitLog(keyspace.cluster).append(head, effects, head.handle)
    assert.equal(await other.get(put('decided')), undefined)
    const { changes } = await other.changesSince(head.cursor, 10)
    assert.deepEqual(
      changes.map(({ uid }) => uid),
      ['decided'],
    )
    assert.equal((await other.get(put('decided')))?.revision, 1)
    await assert.rejects(dying.commit([put('decided')]), CatalogConflict)
  })

  test('an entry that is written out again late undoes nothing that came after it', async () => {
    const [one] = await openTwo()
    await one.commit([put('late', { claims: ['late:1'] })])
    await one.commit([put('late', { expectedRevision: 1, body: { second: 1 }, claims: [] })])
    await one.commit([put('gone')])
    await one.commit([{ ...put('gone'), op: 'delete', expectedRevision: 1 }])
    // A start that knows nothing of how far the tables are takes over the whole log.
    await keyspace.cluster.run(`DELETE FROM meta WHERE name = 'catalog_head'`)
    const again = await openClusterCatalog(keyspace.cluster)
    assert.deepEqual((await again.get(put('late')))?.body, { second: 1 })
    assert.equal(await again.findByClaim('o', 'late:1'), undefined)
    assert.equal(await again.get(put('gone')), undefined)
  })

  test('a commit under a lease that another process has taken over is refused', async () => {
    const clock = new ManualClock(systemClock.now())
    const [one, other] = await openTwo(clock)
    const first = await one.acquireLease('job', 'one', 1_000)
    assert.equal(await other.acquireLease('job', 'other', 1_000), undefined)
    clock.advance(2_000)
    const second = await other.acquireLease('job', 'other', 1_000)
    assert.ok(second !== undefined && first !== undefined && second.fence > first.fence)
    await assert.rejects(one.commit([put('fenced')], first), CatalogConflict)
    await other.commit([put('fenced')], second)
  })

  test('a lease that was just taken is nobody else’s, though clocks differ', async () => {
    const now = systemClock.now()
    const clocks = [now, now - 4_000].map((at) => new ManualClock(at))
    const one = await openClusterCatalog(keyspace.cluster, { clock: clocks[0] })
    const other = await openClusterCatalog(otherCluster, { clock: clocks[1] })
    assert.ok((await one.acquireLease('ahead', 'one', 10_000)) !== undefined)
    assert.equal(await other.holderOf('ahead', 10_000), 'one')
    assert.equal(await other.acquireLease('ahead', 'other', 10_000), undefined)
    // One that was taken years ahead keeps nobody waiting.
    clocks[0].advance(1e11)
    assert.ok((await one.acquireLease('years', 'one', 10_000)) !== undefined)
    assert.ok((await other.acquireLease('years', 'other', 10_000)) !== undefined)
  })

  test('a lease that many processes want at once is one of theirs', async () => {
    const [one, other] = await openTwo()
    const wishes = Array.from({ length: 8 }, (_, at) =>
      (at % 2 === 0 ? one : other).acquireLease('wanted', `p${at}`, 60_000),
    )
    const got = (await Promise.all(wishes)).filter((lease) => lease !== undefined)
    assert.equal(got.length, 1)
    assert.equal(await other.holderOf('wanted', 60_000), got[0].holder)
  })
}

async function lastOf(store: CatalogStore): Promise<{ cursor: number }> {
  return await store.scanIndex([], { onRow: () => {} })
}

/** How far the log is, as its newest entry tells. */
async function headOf(): Promise<{ seq: number; cursor: number; handle: number }> {
  const [row] = await keyspace.cluster.run(
    `SELECT seq, first_cursor, changes, last_handle FROM change_log WHERE bucket = 0
      ORDER BY seq DESC LIMIT 1`,
  )
  const cursor = Number(row.first_cursor) + Number(row.changes) - 1
  return { seq: Number(row.seq), cursor, handle: Number(row.last_handle) }
}

if (skip !== false) test('two processes on Cassandra', { skip }, () => {})
else {
  before(async () => {
    keyspace = await openTestKeyspace('processes', catalogTables)
    otherCluster = await Cluster.open(keyspace.settings)
  })
  after(async () => {
    await otherCluster?.close()
    await keyspace?.dispose()
  })
  processCases()
}
