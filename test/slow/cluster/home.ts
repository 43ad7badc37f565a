/** A catalog on the cluster that is empty whenever a test makes one, in the keyspace of its test file. */
import { ManualClock } from '../../../src/base/index.ts'
import { type Cluster, openClusterCatalog } from '../../../src/store/cassandra/index.ts'
import type { CatalogStoreHome } from '../../contract/catalog-store-home.ts'

/** The keys of the partitions of each table of the catalog. */
const partitions = {
  change_log: 'bucket',
  change_part: 'id, part',
  document: 'org, kind, uid',
  claim: 'org, claim',
  listing: 'org, kind, shard',
  child: 'org, kind, parent',
  usage: 'scope',
  expiry: 'bucket',
  lease: 'name',
}

/** Empties the tables: writes of the catalog have counted times, so its count begins behind what is deleted. */
async function empty(cluster: Cluster): Promise<void> {
  const timestamp = BigInt(Date.now()) * 1_000n
  for (const [table, columns] of Object.entries(partitions)) {
    const rows = await cluster.run(`SELECT DISTINCT ${columns} FROM ${table}`)
    const names = columns.split(', ')
    const cql = `DELETE FROM ${table} WHERE ${names.map((name) => `${name} = ?`).join(' AND ')}`
    const statements = rows.map((row) => ({ cql, params: names.map((name) => row[name]) }))
    await cluster.runAll(statements, { timestamp })
  }
  for (const name of ['catalog_head', 'catalog_start']) {
    await cluster.run('DELETE FROM meta WHERE name = ?', [name], { timestamp })
  }
  const start = [String(timestamp + 1n)]
  const cql = `INSERT INTO meta (name, value) VALUES ('catalog_start', ?)`
  await cluster.run(cql, start, { timestamp: timestamp + 1n })
}

/** A home in a keyspace; one at a time. */
export async function makeCatalogHome(cluster: Cluster): Promise<CatalogStoreHome> {
  await empty(cluster)
  const clock = new ManualClock(1_700_000_000_000)
  return {
    clock,
    // Three nodes take ten times as long as one folder.
    share: 0.3,
    open: () => openClusterCatalog(cluster, { clock }),
    dispose: async () => {},
  }
}
