/**
 * `npm run bench:cluster`: Weir on three Cassandra nodes of its own, with one and with three processes, beside plain
 * prepared statements for the same rows, in turn, as one table. docs/benchmarks.md explains the figures.
 */
import { cpus, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import { withCluster, withWeirs } from './peers/cluster.ts'
import { printTable, type Row } from './report.ts'
import { clusterSuite } from './suites/cluster-suite.ts'

const PROCESSES = 3

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '1' },
  },
})
const [seconds, rounds] = [values.seconds, values.rounds].map(Number)
if (!(seconds > 0 && rounds > 0)) throw new Error('--seconds and --rounds are positive numbers')

const rows = await withCluster((cluster) =>
  withWeirs(cluster.settings, PROCESSES, async (weirs, starts) => {
    const [first, second] = starts.map((value) => ({ value }))
    const found: Row[] = [
      {
        work: 'first start, which creates the tables',
        unit: 's',
        aim: '≤ 10',
        cells: { Weir: first },
      },
      { work: 'start of the next process', unit: 's', aim: '', cells: { Weir: second } },
    ]
    return found.concat(await clusterSuite({ cluster, weirs, seconds, rounds }))
  }),
)

const machine = `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`
console.log(
  values.json
    ? JSON.stringify({ machine, rows }, undefined, 2)
    : `${printTable(rows)}\n\n${machine}`,
)
