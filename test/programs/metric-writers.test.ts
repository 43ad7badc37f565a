/**
 * The examples of docs/integrations.md for programs that write metrics, run by these programs. `WEIR_RECORD=1` writes
 * the requests that `npm test` sends again.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { childEnv } from '../support/child-env.ts'
import { keepablePort } from '../support/port.ts'
import { comesTrue, eventually } from '../support/settle.ts'
import type { StoredSamples } from '../support/stored-samples.ts'
import {
  obtainCollector,
  obtainPrometheus2,
  obtainPrometheus3,
  obtainPythonSdk,
  obtainTelemetrygen,
  obtainVmagent,
  type Program,
} from './metric-programs.ts'
import { startPrometheus } from './prometheus-process.ts'
import { COMPONENT, recordTo, type Target } from './record-requests.ts'
import { run } from './run-program.ts'
import { exampleFor } from './writer-programs.ts'

const storedBy = recordTo('test/fixtures/metric-writers.jsonl')
const METRICS = `# HELP level The level.
# TYPE level gauge
level{place="hall"} 21.5
level{place="roof"} NaN
# HELP calls_total All calls.
# TYPE calls_total counter
calls_total 7
`

/** A target whose samples go to the component of the examples; returns lines of prometheus.yml. */
async function startTarget(t: TestContext): Promise<string> {
  const server = createServer((_, reply) => {
    reply.writeHead(200, { 'Content-Type': 'text/plain; version=0.0.4' }).end(METRICS)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  const relabel = `    relabel_configs:\n      - target_label: instance\n        replacement: ${COMPONENT}\n`
  const configs = `    static_configs:\n      - targets: ["127.0.0.1:${port}"]\n${relabel}`
  return `global:\n  scrape_interval: 1s\nscrape_configs:\n  - job_name: hall\n${configs}`
}

/** Waits until the metrics of the target are stored. */
async function untilScraped({ stored }: Target): Promise<void> {
  await comesTrue(async () => (await stored())['level,place=hall']?.length > 0)
}

function assertScraped(stored: StoredSamples): void {
  const values = (id: string) => [...new Set(stored[id]?.map(([, data]) => data))]
  assert.deepEqual(values('level,place=hall'), [21.5])
  assert.deepEqual(values('calls_total'), [7])
  assert.deepEqual(values('up'), [1])
  // NaN is invisible here, but its stream is there.
  assert.equal(stored['level,place=roof'], undefined)
}

const prometheus2 = await obtainPrometheus2()
const prometheus3 = await obtainPrometheus3()
const servers: readonly (Program & { readonly name: string; readonly at: number })[] = [
  { name: 'Prometheus 2, version 1.0', at: 0, ...prometheus2 },
  { name: 'Prometheus 3, version 1.0', at: 0, ...prometheus3 },
  { name: 'Prometheus 3, version 2.0', at: 1, ...prometheus3 },
]
for (const { name, at, path, skip } of servers) {
  test(`${name}: what it scrapes is stored`, { skip }, async (t) => {
    const stored = await storedBy(t, name, async (target) => {
      const example = exampleFor(target, { heading: 'Prometheus', language: 'yaml', at })
      const prometheus = await startPrometheus(t, path, `${await startTarget(t)}${example}`)
      await untilScraped(target)
      await prometheus.stop()
    })
    assertScraped(stored)
    assert.equal(stored.scrape_samples_scraped === undefined, at === 1)
  })
}

const vmagent = await obtainVmagent()
test('vmagent: what it scrapes is stored', { skip: vmagent.skip }, async (t) => {
  const stored = await storedBy(t, 'vmagent', async (target) => {
    const { folder } = target
    writeFileSync(join(folder, 'prometheus.yml'), await startTarget(t))
    const command = exampleFor(target, { heading: 'vmagent', language: 'sh' })
    const beside = `-httpListenAddr=127.0.0.1:${await keepablePort()} -remoteWrite.flushInterval=200ms`
    const text = command.replace(/^vmagent/, `exec '${vmagent.path}' ${beside}`)
    const child = spawn('sh', ['-c', text], { cwd: folder, env: childEnv, stdio: 'ignore' })
    t.after(() => child.kill('SIGKILL'))
    await untilScraped(target)
    const gone = once(child, 'exit')
    child.kill('SIGINT')
    await gone
  })
  assertScraped(stored)
})

const python = await obtainPythonSdk()
test('OpenTelemetry SDK: Python stores its metrics', { skip: python.skip }, async (t) => {
  const stored = await storedBy(t, 'opentelemetry python', async (target) => {
    const place = { heading: 'OpenTelemetry SDKs', language: 'python' }
    await run([python.path, '-c', exampleFor(target, place)])
  })
  const value = (id: string) => stored[id]?.map(([, data]) => data)
  assert.deepEqual(value('temperature_celsius'), [21.5])
  assert.deepEqual(value('readings_total,sensor=roof'), [1])
  assert.deepEqual(value('reading_duration_seconds_count'), [1])
  assert.deepEqual(value('reading_duration_seconds_bucket,le=+Inf'), [1])
})

const telemetrygen = await obtainTelemetrygen()
const KINDS = ['Gauge', 'Sum', 'Histogram'] as const

/** Sends metrics of each kind to a port. */
async function generate(port: number, header: readonly string[]): Promise<void> {
  const where = ['--otlp-http', '--otlp-insecure', '--otlp-endpoint', `127.0.0.1:${port}`]
  for (const kind of KINDS) {
    const what = ['--metrics', '3', '--metric-type', kind, '--otlp-metric-name', kind.toLowerCase()]
    const service = ['--service', COMPONENT, '--aggregation-temporality', 'cumulative']
    await run([telemetrygen.path, 'metrics', ...where, ...what, ...service, ...header])
  }
}

function assertGenerated(stored: StoredSamples): void {
  for (const id of ['gauge', 'sum_total', 'histogram_count', 'histogram_bucket,le=+Inf']) {
    assert.ok(stored[id]?.length > 0, `${id}: ${Object.keys(stored)}`)
  }
}

test('telemetrygen: its metrics are stored', { skip: telemetrygen.skip }, async (t) => {
  const stored = await storedBy(t, 'telemetrygen', ({ port, feedKey }) =>
    generate(port, ['--otlp-header', `X-Api-Key="${feedKey}"`]),
  )
  assertGenerated(stored)
})

const collector = await obtainCollector()
const skipCollector = collector.skip || telemetrygen.skip
test('OpenTelemetry Collector: what it receives is stored', { skip: skipCollector }, async (t) => {
  const stored = await storedBy(t, 'opentelemetry collector', async (target) => {
    const port = await keepablePort()
    const file = join(target.folder, 'collector.yaml')
    const example = exampleFor(target, { heading: 'OpenTelemetry Collector', language: 'yaml' })
    const metrics = '  telemetry:\n    metrics:\n      level: none\n'
    writeFileSync(file, `${example.replace('4318', String(port))}${metrics}`)
    const child = spawn(collector.path, [`--config=${file}`], { env: childEnv, stdio: 'ignore' })
    t.after(() => child.kill('SIGKILL'))
    await eventually(() => connects(port))
    await generate(port, [])
    const gone = once(child, 'exit')
    child.kill('SIGTERM')
    await gone
  })
  assertGenerated(stored)
})

async function connects(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.destroy()
}
