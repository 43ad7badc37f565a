import { setTimeout as pause } from 'node:timers/promises'
import type { Client, Host } from 'cassandra-driver'
import { StoreUnusable } from '../../ports/store-unusable.ts'
import { messageOf, startErrorOf } from './away.ts'
import type { ClusterWatch } from './cluster.ts'
import { type ClusterSettings, copiesOf, replicationText } from './cluster-settings.ts'
import { connectClient } from './connect-client.ts'

const LOOK_MS = 100
const NAME = /^[a-z][a-z0-9_]{0,47}$/

/** Makes the keyspace where it is not there yet; one that is there stays as it is. Rejects when the cluster has no such data centre, or too few nodes for the copies. */
export async function makeKeyspace(settings: ClusterSettings, watch: ClusterWatch): Promise<void> {
  const { keyspace } = settings
  if (!NAME.test(keyspace)) {
    throw new StoreUnusable(
      'settings',
      `Cannot use the keyspace "${keyspace}": small letters, digits and _ only`,
    )
  }
  const { onWaiting, signal } = watch
  const { client, end } = await connectClient(settings, { onWaiting, signal })
  try {
    // Looked at here: the driver leaves connections open when it finds it wrong.
    const counts = countNodes(client)
    expectDataCentre(counts, settings.dataCentre)
    const hosts = client.hosts.values().filter((host) => host.isUp())
    const [first] = hosts.sort((a, b) => (a.address < b.address ? -1 : 1))
    if (!(await isKnown(client, keyspace, first))) {
      expectCopies(counts, settings)
      const replication = replicationText(settings)
      const cql = `CREATE KEYSPACE IF NOT EXISTS ${keyspace} WITH replication = ${replication}`
      await client.execute(cql, [], { host: first })
    }
    // The driver cannot connect to a node that has not heard of it yet.
    for (const host of hosts) {
      while (host.isUp() && !(await isKnown(client, keyspace, host))) {
        onWaiting?.(`waits until ${host.address} knows the keyspace ${keyspace}`)
        await pause(LOOK_MS, undefined, { signal })
      }
    }
  } catch (error) {
    throw startErrorOf(messageOf(error), settings)
  } finally {
    await end()
  }
}

async function isKnown(client: Client, keyspace: string, host: Host): Promise<boolean> {
  const cql = 'SELECT keyspace_name FROM system_schema.keyspaces WHERE keyspace_name = ?'
  const { rows } = await client.execute(cql, [keyspace], { prepare: true, host })
  return rows.length > 0
}

/** How many nodes each data centre has, those that are down among them. */
function countNodes(client: Client): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { datacenter } of client.hosts.values()) {
    counts.set(datacenter, (counts.get(datacenter) ?? 0) + 1)
  }
  return counts
}

function expectDataCentre(counts: ReadonlyMap<string, number>, name: string): void {
  if (counts.has(name)) return
  const names = [...counts.keys()].sort().join(', ')
  throw new StoreUnusable(
    'settings',
    `Cannot find the data centre "${name}" in the cluster: it has ${names}`,
  )
}

/** With fewer nodes than copies a quorum may never be there, and a start would wait for it in vain. */
function expectCopies(counts: ReadonlyMap<string, number>, settings: ClusterSettings): void {
  for (const [name, copies] of Object.entries(copiesOf(settings))) {
    const nodes = counts.get(name) ?? 0
    if (copies <= nodes) continue
    throw new StoreUnusable(
      'settings',
      `Cannot make the keyspace ${settings.keyspace} with ${copies} copies in the data centre "${name}": it has ${nodes} ${nodes === 1 ? 'node' : 'nodes'}`,
    )
  }
}
