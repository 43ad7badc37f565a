/** Where a cluster is and who this process is to it. */
export interface ClusterSettings {
  /** Some nodes of the cluster; the others are found from them. */
  readonly hosts: readonly string[]
  /** The port of CQL, on every node. */
  readonly port: number
  readonly dataCentre: string
  readonly keyspace: string
  /** Of a keyspace that is made: how many copies, in this data centre or as `{"eu": 3, "us": 3}`. */
  readonly replication: number | Readonly<Record<string, number>>
  readonly user?: string
  readonly password?: string
  readonly tls?: ClusterTls
}

/** Encrypted connections: which authorities may vouch for nodes, and how this process shows itself. */
interface ClusterTls {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
}

/** How many copies each data centre has. */
export function copiesOf({ replication, dataCentre }: ClusterSettings): Record<string, number> {
  return typeof replication === 'number' ? { [dataCentre]: replication } : { ...replication }
}

/** The copies in all data centres together, of a replication as `system_schema.keyspaces` has it. */
export function countCopies(replication: Readonly<Record<string, string>>): number {
  const counts = Object.entries(replication).filter(([name]) => name !== 'class')
  // A count may have those of transient copies behind it: 3/1.
  return counts.reduce((sum, [, count]) => sum + Number.parseInt(count, 10), 0)
}

/** The replication of a keyspace as CQL writes it. */
export function replicationText(settings: ClusterSettings): string {
  const pairs = Object.entries(copiesOf(settings)).map(
    ([name, count]) => `${quoted(name)}: ${count}`,
  )
  return `{'class': 'NetworkTopologyStrategy', ${pairs.join(', ')}}`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
