import { setTimeout as pause } from 'node:timers/promises'
import type { Client, Host } from 'cassandra-driver'
import type { ClusterWatch } from './cluster.ts'
import { type ClusterSettings, replicationText } from './cluster-settings.ts'
import { connectClient } from './connect-client.ts'

const LOOK_MS = 100
const NAME = /^[a-z][a-z0-9_]{0,47}$/

/** Makes the keyspace where it is not there yet; one that is there stays as it is. Rejects when the cluster has no such data centre. */
export async function makeKeyspace(settings: ClusterSettings, watch: ClusterWatch): Promise<void> {
  const { keyspace } = settings
  if (!NAME.test(keyspace)) {
    throw new Error(`Cannot use the keyspace "${keyspace}": small letters, digits and _ only`)
  }
  const { onWaiting, signal } = watch
  const { client, end } = await connectClient(settings, { onWaiting, signal })
  try {
    // Looked at here: the driver leaves connections open when it finds it wrong.
    await expectDataCentre(client, settings.dataCentre)
    const hosts = client.hosts.values().filter((host) => host.isUp())
    const [first] = hosts.sort((a, b) => (a.address < b.address ? -1 : 1))
    if (!(await isKnown(client, keyspace, first))) {
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
  } finally {
    await end()
  }
}

async function isKnown(client: Client, keyspace: string, host: Host): Promise<boolean> {
  const cql = 'SELECT keyspace_name FROM system_schema.keyspaces WHERE keyspace_name = ?'
  const { rows } = await client.execute(cql, [keyspace], { prepare: true, host })
  return rows.length > 0
}

async function expectDataCentre(client: Client, name: string): Promise<void> {
  const found = new Set<string>()
  for (const table of ['system.local', 'system.peers']) {
    const { rows } = await client.execute(`SELECT data_center FROM ${table}`)
    for (const row of rows) if (row.data_center !== null) found.add(row.data_center)
  }
  if (found.has(name)) return
  const names = [...found].sort().join(', ')
  throw new Error(`Cannot find the data centre "${name}" in the cluster: it has ${names}`)
}
