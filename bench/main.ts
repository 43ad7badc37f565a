/**
 * `npm run bench`: Weir beside InfluxDB and VictoriaMetrics, where these are installed, under the
 * same load on the same machine, as one table. docs/benchmarks.md says more.
 */
import { cpus, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import { putLayouts, telegrafLayout } from './load/put-layouts.ts'
import { remoteWriteLayouts } from './load/remote-write-layouts.ts'
import { influx } from './peers/influx.ts'
import { victoria } from './peers/victoria.ts'
import { weir } from './peers/weir.ts'
import { printTable, type Row } from './report.ts'
import { printProgress, type Settings } from './settings.ts'
import { alertsSuite } from './suites/alerts-suite.ts'
import { deriveSuite } from './suites/derive-suite.ts'
import { doorsSuite } from './suites/doors-suite.ts'
import { liveSuite } from './suites/live-suite.ts'
import { onboardSuite } from './suites/onboard-suite.ts'
import { plotSuite } from './suites/plot-suite.ts'
import { promqlSuite } from './suites/promql-suite.ts'
import { putSuite } from './suites/put-suite.ts'
import { readSuite } from './suites/read-suite.ts'
import { restartSuite } from './suites/restart-suite.ts'
import { sqlSuite } from './suites/sql-suite.ts'
import { stallSuite } from './suites/stall-suite.ts'
import { webhookSuite } from './suites/webhook-suite.ts'
import { yearsSuite } from './suites/years-suite.ts'

const suites: Record<string, (settings: Settings) => Promise<Row[]>> = {
  put: putSuite,
  doors: doorsSuite,
  onboard: onboardSuite,
  read: readSuite,
  plot: plotSuite,
  restart: restartSuite,
  stall: stallSuite,
  years: yearsSuite,
  live: liveSuite,
  derive: deriveSuite,
  alerts: alertsSuite,
  webhook: webhookSuite,
  sql: sqlSuite,
  promql: promqlSuite,
}

const knownLayouts = [
  ...[...putLayouts, telegrafLayout, ...remoteWriteLayouts].map(({ name }) => name),
  'new',
]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    only: { type: 'string' },
    seconds: { type: 'string', default: '10' },
    samples: { type: 'string', default: '10000000' },
    calls: { type: 'string', default: '2000' },
    rounds: { type: 'string', default: '1' },
    layouts: { type: 'string' },
  },
})

function settingsOf(): Settings {
  const peers = [weir, influx, victoria].filter((peer) => {
    const isChosen = values.only?.split(',').some((word) => peer.name.toLowerCase().includes(word))
    const missing = peer.missing()
    if (missing !== undefined) printProgress(`${peer.name} is left out: ${missing}`)
    return (isChosen ?? true) && missing === undefined
  })
  const numbers = [values.seconds, values.samples, values.calls, values.rounds].map(Number)
  if (!numbers.every((number) => number > 0 && number <= 1e9)) {
    throw new Error('--seconds, --samples, --calls and --rounds are positive numbers')
  }
  const [seconds, samples, calls, rounds] = numbers
  return { peers, seconds, samples, calls, rounds, layouts: layoutsOf(values.layouts) }
}

function layoutsOf(list: string | undefined): readonly string[] | undefined {
  const unknown = list?.split(',').find((name) => !knownLayouts.includes(name))
  if (unknown === undefined) return list?.split(',')
  throw new Error(`Unknown layout "${unknown}": there are ${knownLayouts.join(', ')}`)
}

const unknown = positionals.filter((name) => suites[name] === undefined)
if (unknown.length > 0) {
  console.error(`Unknown suite ${unknown.join(', ')}: there are ${Object.keys(suites).join(', ')}`)
  process.exit(1)
}
const settings = settingsOf()
const rows: Row[] = []
for (const name of positionals.length > 0 ? positionals : Object.keys(suites)) {
  rows.push(...(await suites[name](settings)))
}
const machine = `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`
console.log(
  values.json
    ? JSON.stringify({ machine, rows }, undefined, 2)
    : `${printTable(rows)}\n\n${machine}`,
)
