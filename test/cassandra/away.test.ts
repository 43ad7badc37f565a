import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ManualClock, Refusal } from '../../src/base/index.ts'
import { catalogTables } from '../../src/store/cassandra/catalog/catalog-tables.ts'
import { Cluster, openClusterCatalog } from '../../src/store/cassandra/index.ts'
import type { PutDocument } from '../../src/store/index.ts'
import { cassandraSkip, openTestKeyspace, type TestKeyspace } from '../support/cassandra.ts'
import { type ClusterProxy, startClusterProxy } from '../support/cluster-proxy.ts'
import { eventually } from '../support/settle.ts'

const skip = cassandraSkip()
let keyspace: TestKeyspace
let proxy: ClusterProxy
let cluster: Cluster

function put(uid: string): PutDocument {
  return { op: 'put', orgUid: 'o', kind: 'unit', uid, body: { uid }, expectedRevision: 0 }
}

function isAway(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'store_away' && error.retryAfterSeconds === 5
}

function awayCases(): void {
  test('a start waits for a cluster that is away, and says for what', async () => {
    const { port } = proxy
    proxy.cut()
    const said = Promise.withResolvers<string>()
    const opening = Cluster.open({ ...keyspace.settings, port }, { onWaiting: said.resolve })
    assert.match(await said.promise, new RegExp(`waits for Cassandra at 127\\.0\\.0\\.1:${port}`))
    await proxy.mend()
    cluster = await opening
  })

  test('a start that waits can be called off', async () => {
    const stop = new AbortController()
    const settings = { ...keyspace.settings, port: 1 }
    const watch = { onWaiting: () => stop.abort(), signal: stop.signal }
    await assert.rejects(Cluster.open(settings, watch), { name: 'AbortError' })
  })

  test('while the cluster is away calls are refused with 503, and go on by themselves', async () => {
    const store = await openClusterCatalog(cluster, { clock: new ManualClock(1_700_000_000_000) })
    await store.commit([put('a')])
    proxy.cut()
    await assert.rejects(store.get(put('a')), isAway)
    await assert.rejects(store.commit([put('b')]), isAway)
    await assert.rejects(store.acquireLease('job', 'one', 1_000), isAway)
    await proxy.mend()
    await eventually(() => store.get(put('a')))
    // What was refused may have been made: asking again tells, and makes it once.
    await eventually(() => store.commit([{ ...put('b'), expectedRevision: 'any' }]))
    const usage = await store.usage('o')
    assert.equal(usage.find(({ kind }) => kind === 'unit')?.documents, 2)
    await store.close()
  })
}

if (skip !== false) test('a cluster of Cassandra that is away', { skip }, () => {})
else {
  before(async () => {
    keyspace = await openTestKeyspace('away', catalogTables)
    proxy = await startClusterProxy(keyspace.settings.port)
  })
  after(async () => {
    await cluster?.close()
    await keyspace?.dispose()
    proxy?.close()
  })
  awayCases()
}
