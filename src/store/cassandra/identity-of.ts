import type { Cluster } from './connection/cluster.ts'

/** What tells the data of a keyspace from those of all others: when its catalog was first opened; made by that. */
export async function identityOf(cluster: Cluster): Promise<string> {
  const [row] = await cluster.run(`SELECT value FROM meta WHERE name = 'catalog_start'`)
  return String(row?.value)
}
