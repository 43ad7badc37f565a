/**
 * A process with a connection to a cluster: says `open`, asks the cluster for each line `ask` and says how that
 * went, and at the end of its input closes the connection, after which nothing may keep it.
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
