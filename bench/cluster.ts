/**
 * `npm run bench:cluster`: Weir on a cluster of three Cassandra nodes of its own (or that of WEIR_TEST_CASSANDRA), beside
 * the driver alone writing the same rows and beside the embedded store, in turn, as one table. docs/benchmarks.md says more.
 */
import { cpus, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import { withCluster, withWeirs } from './peers/cluster.ts'
import { weir } from './peers/weir.ts'
import { printTable, type Row } from './report.ts'
import { withPeer } from './settings.ts'
import { clusterPutSuite } from './suites/cluster-put-suite.ts'
import { clusterReadSuite, fillYear } from './suites/cluster-read-suite.ts'

const PROCESSES = 2

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '1' },
    calls: { type: 'string', default: '500' },
    only: { type: 'string', default: 'put,read' },
  },
})
const [seconds, rounds, calls] = [values.seconds, values.rounds, values.calls].map(Number)
if (![seconds, rounds, calls].every((number) => number > 0 && number <= 1e6)) {
  throw new Error('--seconds, --rounds and --calls are positive numbers')
}
const chosen = values.only.split(',')
if (!chosen.every((name) => name === 'put' || name === 'read')) {
  throw new Error('--only is put or read')
}

const rows = await withCluster((cluster) =>
  withWeirs(cluster.settings, PROCESSES, (weirs) =>
    withPeer(weir, async (embedded) => {
      const bench = { cluster, weirs, embedded, seconds, rounds, calls }
      const filledAt = chosen.includes('read') ? await fillYear(bench) : 0
      const found: Row[] = await clusterPutSuite({ ...bench, ...putsOf(bench) })
      if (chosen.includes('read')) found.push(...(await clusterReadSuite(bench, filledAt)))
      return found
    }),
  ),
)

/** Reads alone still need streams that were put to. */
function putsOf({ seconds, rounds }: { seconds: number; rounds: number }) {
  return chosen.includes('put') ? { seconds, rounds } : { seconds: 1, rounds: 1 }
}

const machine = `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`
console.log(
  values.json
    ? JSON.stringify({ machine, rows }, undefined, 2)
    : `${printTable(rows)}\n\n${machine}`,
)
