import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Cluster, type ClusterSettings, openCluster } from '../../src/store/cassandra/index.ts'
import { cassandraSkip, testKeyspaceSettings } from '../support/cassandra.ts'

const skip = cassandraSkip()
let settings: ClusterSettings
const clusters: Promise<Cluster>[] = []

function open(): Promise<Cluster> {
  const opening = openCluster(settings)
  clusters.push(opening)
  return opening
}

function startCases(): void {
  test('processes that start at once make keyspace and tables together', async () => {
    const [one, other] = await Promise.all([open(), open()])
    await one.run(`INSERT INTO claim (org, claim, kind, uid) VALUES ('o', 'c', 'k', 'u')`)
    const rows = await other.run(`SELECT uid FROM claim WHERE org = 'o' AND claim = 'c'`)
    assert.deepEqual({ ...rows[0] }, { uid: 'u' })
    const tables = await other.run(
      'SELECT table_name FROM system_schema.tables WHERE keyspace_name = ?',
      [settings.keyspace],
    )
    assert.ok(tables.length >= 12, `${tables.length} tables`)
  })

  test('openCluster() refuses a schema that is later than its own', async () => {
    const cluster = await clusters[0]
    const set = `INSERT INTO meta (name, value) VALUES ('schema', ?)`
    const [{ value }] = await cluster.run(`SELECT value FROM meta WHERE name = 'schema'`)
    await cluster.run(set, ['999'])
    await assert.rejects(openCluster(settings), /has schema 999.*start a later Weir/)
    await cluster.run(set, [value])
  })

  test('openCluster() refuses a name that no keyspace can have', async () => {
    const odd = { ...settings, keyspace: 'x; DROP KEYSPACE y' }
    await assert.rejects(openCluster(odd), /Cannot use the keyspace/)
  })

  test('openCluster() refuses a data centre that the cluster does not have', async () => {
    await assert.rejects(openCluster({ ...settings, dataCentre: 'elsewhere' }), /elsewhere/)
  })
}

if (skip !== false) test('a cluster of Cassandra', { skip }, () => {})
else {
  before(async () => {
    settings = await testKeyspaceSettings('cluster')
  })
  after(async () => {
    for (const opened of await Promise.allSettled(clusters)) {
      if (opened.status === 'fulfilled') await opened.value.close()
    }
  })
  startCases()
}
