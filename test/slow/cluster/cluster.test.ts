import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Refusal } from '../../../src/base/index.ts'
import { makeKeyspace } from '../../../src/store/cassandra/connection/make-keyspace.ts'
import {
  Cluster,
  type ClusterSettings,
  isCatalogOfCluster,
  openCluster,
  reserveHandles,
} from '../../../src/store/cassandra/index.ts'
import { type CatalogStore, StoreUnusable } from '../../../src/store/index.ts'
import { dropTestKeyspaces, testKeyspaceSettings } from '../../support/cassandra.ts'
import { startClusterProxy } from '../../support/cluster-proxy.ts'
import { makeCatalogHome } from '../../support/postgres-home.ts'
import { clusterSkip } from '../../support/test-cluster.ts'

const skip = clusterSkip()
let settings: ClusterSettings
let late: ClusterSettings
let old: ClusterSettings
let catalog: CatalogStore
const clusters: Promise<Cluster>[] = []

function open(): Promise<Cluster> {
  const opening = openCluster(settings, catalog)
  clusters.push(opening)
  return opening
}

function startCases(): void {
  test('processes that start at once make keyspace and tables together', async () => {
    const [one, other] = await Promise.all([open(), open()])
    await one.run(`INSERT INTO meta (name, value) VALUES ('n', 'v')`)
    const rows = await other.run(`SELECT value FROM meta WHERE name = 'n'`)
    assert.deepEqual({ ...rows[0] }, { value: 'v' })
    const tables = await other.run(
      'SELECT table_name FROM system_schema.tables WHERE keyspace_name = ?',
      [settings.keyspace],
    )
    assert.ok(tables.length >= 8, `${tables.length} tables`)
  })

  test('a statement waits for a table that its node does not know yet, and logs that', async () => {
    const said = Promise.withResolvers<string>()
    // A node may be behind with the keyspace that was just made as well.
    const onWaiting = (what: string) => what.includes('table late') && said.resolve(what)
    const opening = Cluster.open(settings, { onWaiting })
    clusters.push(opening)
    const cluster = await opening
    const under = [
      cluster.run(`INSERT INTO late (id) VALUES ('a')`),
      cluster.batch([{ cql: `INSERT INTO late (id) VALUES (?)`, params: ['b'] }]),
      cluster.run(`SELECT id FROM late WHERE id = 'a'`),
    ]
    assert.match(await said.promise, /^waits for a node that is behind: .*table late/)
    await (await clusters[0]).alter('CREATE TABLE late (id text PRIMARY KEY)')
    await Promise.all(under)
    const rows = await cluster.run('SELECT id FROM late')
    assert.deepEqual(rows.map(({ id }) => id).sort(), ['a', 'b'])
  })

  test('Cluster.open() waits for a keyspace that its nodes have not heard of yet', async () => {
    const said = Promise.withResolvers<string>()
    const opening = Cluster.open(late, { onWaiting: said.resolve })
    clusters.push(opening)
    assert.match(await said.promise, /waits for a node that is behind: Keyspace .* does not exist/)
    await makeKeyspace(late, {})
    const [row] = await (await opening).run(`SELECT key FROM system.local`)
    assert.equal(row.key, 'local')
  })

  test('openCluster() refuses a schema that is later than its own', async () => {
    const cluster = await clusters[0]
    const set = `INSERT INTO meta (name, value) VALUES ('schema', ?)`
    const [{ value }] = await cluster.run(`SELECT value FROM meta WHERE name = 'schema'`)
    await cluster.run(set, ['999'])
    await assert.rejects(openCluster(settings, catalog), /has schema 999.*start a later Weir/)
    await cluster.run(set, [value])
  })

  test('a cluster that fails while a start looks for its keyspace is reported as unavailable', async () => {
    const proxy = await startClusterProxy(settings.port, 'SELECT keyspace_name FROM system_schema')
    const opening = openCluster({ ...settings, port: proxy.port }, catalog)
    await assert.rejects(
      opening,
      (error) => error instanceof Refusal && error.code === 'store_away',
    )
    proxy.close()
  })

  test('openCluster() refuses a keyspace of an earlier version, and changes nothing', async () => {
    await makeKeyspace(old, {})
    const opening = Cluster.open(old)
    clusters.push(opening)
    const cluster = await opening
    for (const table of ['change_log', 'sample_map']) {
      await cluster.alter(`CREATE TABLE ${table} (key bigint PRIMARY KEY)`)
      await assert.rejects(openCluster(old, catalog), (error) => {
        assert.ok(error instanceof StoreUnusable && error.why === 'schema')
        assert.match(error.message, /"weir move --to folder" with commit [0-9a-f]{8}/)
        return true
      })
      const tables = await cluster.run(
        'SELECT table_name FROM system_schema.tables WHERE keyspace_name = ?',
        [old.keyspace],
      )
      assert.deepEqual(
        tables.map((row) => row.table_name),
        [table],
      )
      await cluster.alter(`DROP TABLE ${table}`)
    }
  })

  test('handles that processes reserve at once are all different, and above the floor', async () => {
    const cluster = await clusters[0]
    const firsts = await Promise.all(
      Array.from({ length: 6 }, () => reserveHandles(cluster, 100, 0)),
    )
    const sorted = firsts.toSorted((a, b) => a - b)
    for (const [at, first] of sorted.entries()) {
      if (at > 0) assert.ok(first >= sorted[at - 1] + 100)
    }
    assert.equal(await reserveHandles(cluster, 1, 1_000_000), 1_000_001)
    assert.ok((await reserveHandles(cluster, 1, 5)) > 1_000_001)
  })

  test('a keyspace belongs to the catalog that it was opened with first', async () => {
    const cluster = await clusters[0]
    assert.equal(await isCatalogOfCluster(cluster, 'one'), true)
    assert.equal(await isCatalogOfCluster(cluster, 'other'), false)
    assert.equal(await isCatalogOfCluster(cluster, 'one'), true)
  })

  test('openCluster() refuses a name that no keyspace can have', async () => {
    const odd = { ...settings, keyspace: 'x; DROP KEYSPACE y' }
    await assert.rejects(openCluster(odd, catalog), /Cannot use the keyspace/)
  })

  test('openCluster() refuses a data centre that the cluster does not have', async () => {
    await assert.rejects(
      openCluster({ ...settings, dataCentre: 'elsewhere' }, catalog),
      /elsewhere/,
    )
  })
}

if (skip !== false) test('a cluster of Cassandra', { skip }, () => {})
else {
  before(async () => {
    settings = await testKeyspaceSettings('cluster')
    catalog = await (await makeCatalogHome()).open()
    late = { ...settings, keyspace: `${settings.keyspace}_late` }
    old = { ...settings, keyspace: `${settings.keyspace}_old` }
  })
  after(async () => {
    await catalog?.close()
    const opened = await Promise.allSettled(clusters)
    const open = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    if (open.length > 0) await dropTestKeyspaces(open[0], [settings, late, old])
    await Promise.all(open.map((cluster) => cluster.close()))
  })
  startCases()
}
