/** Places of services that one process starts one after the other on the shared nodes. */
import { Cluster, type ClusterSettings } from '../../../src/store/cassandra/index.ts'
import { testKeyspaceSettings } from '../../support/cassandra.ts'
import { makePostgresHome } from '../../support/postgres-home.ts'
import type { ServicePlace } from '../../support/service.ts'
import { clusterServiceSettings } from '../../support/test-cluster.ts'

/**
 * Gives each service a new schema in PostgreSQL, and a keyspace that no running service has. Creating the tables of a
 * keyspace takes seconds, so a keyspace is used again. Its stream handles and stamps continue, so the samples that it
 * still has belong to no stream of the next service.
 */
export class ServicePlaces {
  readonly #free: ClusterSettings[] = []
  #made = 0

  async take(): Promise<ServicePlace> {
    const cassandra = this.#free.pop() ?? (await this.#make())
    const home = await makePostgresHome()
    return {
      settings: clusterServiceSettings({ cassandra, postgresUrl: home.url }),
      release: async () => {
        await home.dispose()
        await forgetOwner(cassandra)
        this.#free.push(cassandra)
      },
    }
  }

  #make(): Promise<ClusterSettings> {
    this.#made += 1
    return testKeyspaceSettings(`suites${this.#made}`)
  }
}

/** Lets a keyspace be used with another PostgreSQL schema and another key of secrets. */
async function forgetOwner(settings: ClusterSettings): Promise<void> {
  const cluster = await Cluster.open(settings)
  try {
    for (const name of ['catalog', 'key_fingerprint']) {
      await cluster.cas('DELETE FROM meta WHERE name = ? IF EXISTS', [name])
    }
  } finally {
    await cluster.close()
  }
}
