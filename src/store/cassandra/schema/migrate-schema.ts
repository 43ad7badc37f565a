/** Makes the tables of a keyspace, and brings those of earlier versions up to date, by one process at a time. */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { Refusal, systemClock } from '../../../base/index.ts'
import { StoreUnusable } from '../../store-unusable.ts'
import { isBehind } from '../connection/behind.ts'
import type { Cluster, ClusterWatch } from '../connection/cluster.ts'
import { Leases } from '../lease/leases.ts'
import { firstTables, schemaSteps } from './schema-steps.ts'

/** A process that died amid a change keeps others waiting this long. */
const LEASE_MS = 120_000
const LOOK_MS = 500

/** Makes the schema what this version needs; rejects when it is of a later one. */
export async function migrateSchema(cluster: Cluster, watch: ClusterWatch = {}): Promise<void> {
  // The same holder in every try, so that none waits for the lease of the one before it.
  const holder = randomUUID()
  for (;;) {
    try {
      if (await tryMigrating(cluster, holder)) return
      watch.onWaiting?.('waits for another process that changes the tables')
    } catch (error) {
      // Nodes that are behind for long are as good as away.
      if (!(error instanceof Refusal) && !isBehind(error)) throw error
      const why = error instanceof Refusal ? error.cause : error
      watch.onWaiting?.(`waits for Cassandra to make the tables: ${why}`)
    }
    await pause(LOOK_MS, undefined, { signal: watch.signal })
  }
}

/** Makes the tables; false while another process does. */
async function tryMigrating(cluster: Cluster, holder: string): Promise<boolean> {
  if ((await readVersion(cluster)) === schemaSteps.length) return true
  await cluster.alter(...firstTables)
  const leases = new Leases(cluster)
  const wish = { name: 'schema', holder, ttlMs: LEASE_MS, nowMs: systemClock.now() }
  const got = await leases.acquire(wish)
  if (got === undefined) return false
  await takeSteps(cluster)
  await leases.release(got.lease)
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

/** The version of the tables; undefined when there are none. */
async function readVersion(cluster: Cluster): Promise<number | undefined> {
  const has = await cluster.run(
    'SELECT table_name FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?',
    [cluster.settings.keyspace, 'meta'],
  )
  if (has.length === 0) return undefined
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
