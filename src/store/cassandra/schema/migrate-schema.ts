/** Makes the tables of a keyspace, and brings those of earlier versions up to date, by one process at a time. */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { Refusal } from '../../../base/index.ts'
import type { CatalogStore } from '../../ports/catalog-port.ts'
import { StoreUnusable } from '../../ports/store-unusable.ts'
import { startErrorOf } from '../connection/away.ts'
import { isBehind } from '../connection/behind.ts'
import type { Cluster, ClusterWatch } from '../connection/cluster.ts'
import { EARLIER_TABLES, firstTables, schemaSteps } from './schema-steps.ts'

/** A process that died amid a change keeps others waiting this long. */
const LEASE_MS = 120_000
const LOOK_MS = 500

/** By whose leases processes agree on who makes the tables. */
export type LeaseStore = Pick<CatalogStore, 'acquireLease' | 'releaseLease'>

/** Makes the schema what this version needs; rejects, and changes nothing, when it is of another version's. */
export async function migrateSchema(
  cluster: Cluster,
  leases: LeaseStore,
  watch: ClusterWatch = {},
): Promise<void> {
  await refuseEarlier(cluster)
  // The same holder in every try, so that none waits for the lease of the one before it.
  const holder = randomUUID()
  for (;;) {
    try {
      if (await tryMigrating(cluster, leases, holder)) return
      watch.onWaiting?.('waits for another process that changes the tables')
    } catch (thrown) {
      const error = startErrorOf(thrown, cluster.settings)
      // Nodes that are behind for long are as good as away.
      if (!(error instanceof Refusal) && !isBehind(error)) throw error
      const why = error instanceof Refusal ? error.cause : error
      watch.onWaiting?.(`waits for Cassandra to make the tables: ${why}`)
    }
    await pause(LOOK_MS, undefined, { signal: watch.signal })
  }
}

/** Makes the tables; false while another process does. */
async function tryMigrating(
  cluster: Cluster,
  leases: LeaseStore,
  holder: string,
): Promise<boolean> {
  if ((await readVersion(cluster)) === schemaSteps.length) return true
  await cluster.alter(...firstTables)
  const lease = await leases.acquireLease('cassandra_schema', holder, LEASE_MS)
  if (lease === undefined) return false
  await takeSteps(cluster)
  await leases.releaseLease(lease)
  return true
}

async function takeSteps(cluster: Cluster): Promise<void> {
  const version = (await readVersion(cluster)) ?? 0
  for (let at = version; at < schemaSteps.length; at++) {
    // A step that was broken off is taken again: each of its statements may be repeated.
    await cluster.alter(...schemaSteps[at])
    const cql = `INSERT INTO meta (name, value) VALUES ('schema', ?)`
    await cluster.run(cql, [String(at + 1)])
  }
}

async function hasTable(cluster: Cluster, name: string): Promise<boolean> {
  const cql =
    'SELECT table_name FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?'
  return (await cluster.run(cql, [cluster.settings.keyspace, name])).length > 0
}

/** What an earlier version wrote is moved by that version. */
async function refuseEarlier(cluster: Cluster): Promise<void> {
  for (const [table, commit] of EARLIER_TABLES) {
    if (!(await hasTable(cluster, table))) continue
    throw new StoreUnusable(
      'schema',
      `The keyspace ${cluster.settings.keyspace} holds the tables of an earlier Weir, and was not changed. ` +
        `Run "weir move --to folder" with commit ${commit}, then "weir move --to cluster" with this one into another keyspace`,
    )
  }
}

/** The version of the tables; undefined when there are none. */
async function readVersion(cluster: Cluster): Promise<number | undefined> {
  if (!(await hasTable(cluster, 'meta'))) return undefined
  const [row] = await cluster.run(`SELECT value FROM meta WHERE name = 'schema'`)
  const version = row === undefined ? 0 : Number(row.value)
  return version > schemaSteps.length ? refuseLater(version, cluster) : version
}

function refuseLater(version: number, { settings }: Cluster): never {
  throw new StoreUnusable(
    'schema',
    `The keyspace ${settings.keyspace} has schema ${version}, and this Weir knows ${schemaSteps.length}: start a later Weir`,
  )
}
