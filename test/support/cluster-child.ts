/**
 * A process with a connection to a cluster. It prints `open`. For each line `ask` it queries the cluster and prints the
 * outcome. At the end of its input it closes the connection, and must then exit by itself.
 */
import { createInterface } from 'node:readline'
import { Refusal } from '../../src/base/index.ts'
import { Cluster, type ClusterSettings } from '../../src/store/cassandra/index.ts'

const settings = JSON.parse(process.argv[2]) as ClusterSettings
const cluster = await Cluster.open(settings)
console.log('open')
for await (const _ of createInterface({ input: process.stdin })) {
  try {
    await cluster.run(`SELECT value FROM meta WHERE name = 'schema'`)
    console.log('answered')
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    console.log(error.code)
  }
}
await cluster.close()
