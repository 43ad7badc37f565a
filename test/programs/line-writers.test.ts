/**
 * The examples of docs/integrations.md, run by the programs they are for. `WEIR_RECORD=1` writes the requests that
 * `npm test` sends again.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { keepablePort } from '../support/port.ts'
import type { StoredSamples } from '../support/stored-samples.ts'
import { recordTo } from './record-requests.ts'
import { run } from './run-program.ts'
import {
  clientPython,
  exampleFor,
  nodeHome,
  obtainNodePackages,
  obtainPythonClients,
  obtainTelegraf,
  telegraf,
} from './writer-programs.ts'

const storedBy = recordTo('test/fixtures/line-writers.jsonl')

function assertWeather(stored: StoredSamples): void {
  const values = Object.entries(stored).map(([id, samples]) => [
    id,
    samples.map(([, data]) => data),
  ])
  assert.deepEqual(values, [
    ['weather_humidity', [48]],
    ['weather_temperature', [21.5]],
  ])
}

const skipTelegraf = await obtainTelegraf()
for (const [at, output] of ['outputs.influxdb_v2', 'outputs.influxdb'].entries()) {
  test(`Telegraf: ${output} stores what outputs.file writes`, { skip: skipTelegraf }, async (t) => {
    let oracle: StoredSamples | undefined
    const stored = await storedBy(t, `telegraf ${output}`, async (target) => {
      const file = join(target.folder, 'out.json')
      const config = join(target.folder, 'telegraf.conf')
      const example = exampleFor(target, { heading: 'Telegraf', language: 'toml', at })
      assert.match(example, new RegExp(`\\[\\[${output}\\]\\]`))
      const inputs = `[agent]\nhostname = "greenhouse"\n[[inputs.mem]]\nfieldinclude = ["active", "used_percent"]\n`
      const beside = `[[outputs.file]]\nfiles = ["${file}"]\ndata_format = "influx"\n`
      writeFileSync(config, `${inputs}${beside}${example}`)
      await run([telegraf, '--config', config, '--once'])
      oracle = readOracle(readFileSync(file, 'utf8'))
    })
    assert.deepEqual(stored, oracle)
  })
}

/** The line of outputs.file, whose fields come in any order. */
function readOracle(line: string): StoredSamples {
  const [head, fields, time] = line.trim().split(' ')
  assert.equal(head, 'mem,host=greenhouse')
  const entries = fields.split(',').map((field) => {
    const [name, value] = field.split('=')
    return [`mem_${name}`, [[Number(time) / 1e6, Number.parseFloat(value)]]]
  })
  return Object.fromEntries(entries)
}

const skipClients = await obtainPythonClients()
for (const [at, name] of ['influxdb-client', 'influxdb', 'influxdb3-python'].entries()) {
  test(`Python: ${name} writes a point`, { skip: skipClients }, async (t) => {
    const stored = await storedBy(t, `python ${name}`, async (target) => {
      const place = { heading: 'InfluxDB clients', language: 'python', at }
      await run([clientPython, '-c', exampleFor(target, place)])
    })
    assertWeather(stored)
  })
}

const skipNode = await obtainNodePackages()
test('JavaScript: @influxdata/influxdb-client writes a point', { skip: skipNode }, async (t) => {
  const stored = await storedBy(t, 'javascript @influxdata/influxdb-client', async (target) => {
    symlinkSync(join(nodeHome, 'node_modules'), join(target.folder, 'node_modules'))
    const script = join(target.folder, 'write.mjs')
    writeFileSync(script, exampleFor(target, { heading: 'InfluxDB clients', language: 'js' }))
    await run([process.execPath, script])
  })
  assertWeather(stored)
})

for (const version of ['2.0', '1.x']) {
  test(`Node-RED: the flow writes with version ${version}`, { skip: skipNode }, async (t) => {
    const stored = await storedBy(t, `node-red ${version}`, async (target) => {
      const example = exampleFor(target, { heading: 'Node-RED', language: 'json' })
      const [server, ...flow] = JSON.parse(example)
      const old = {
        influxdbVersion: '1.x',
        hostname: '127.0.0.1',
        port: String(target.port),
        database: 'weir',
        credentials: { username: 'weir', password: target.feedKey },
      }
      const nodes = [version === '2.0' ? server : { ...server, ...old }, ...flow]
      await runFlow(t, nodes, target.folder)
    })
    assertWeather(stored)
  })
}

/** Deploys a flow as the editor does, and presses its button; resolves when the flow has come to its end. */
async function runFlow(t: TestContext, nodes: readonly object[], folder: string): Promise<void> {
  const port = await keepablePort()
  const modules = join(nodeHome, 'node_modules')
  const user = join(folder, 'user')
  mkdirSync(user)
  const nodesDir = join(modules, 'node-red-contrib-influxdb')
  const settings = ['-D', 'uiHost=127.0.0.1', '-D', `nodesDir=${nodesDir}`]
  const child = spawn(
    process.execPath,
    [join(modules, 'node-red/red.js'), '-u', user, '-p', String(port), ...settings],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  t.after(() => child.kill('SIGKILL'))
  await printed(child, /Started flows/)
  const call = async (path: string, body: object = {}) => {
    const headers = { 'Content-Type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, init)
    assert.ok(answer.ok, `${path}: ${answer.status} ${await answer.text()}`)
  }
  const watched = [
    { id: 'done', type: 'complete', scope: ['weir-write'], wires: [['shown']] },
    { id: 'failed', type: 'catch', scope: ['weir-write'], wires: [['shown']] },
    { id: 'shown', type: 'debug', active: true, console: true, complete: 'true', wires: [] },
  ]
  // A node with a place on the tab would be no configuration.
  const isServer = (node: object) => 'type' in node && node.type === 'influxdb'
  const flow = [...nodes, ...watched].map((node) => {
    return isServer(node) ? node : { z: 'tab', x: 0, y: 0, ...node }
  })
  const started = printed(child, /Started flows/)
  await call('/flows', [{ id: 'tab', type: 'tab', label: 'test' }, ...flow])
  await started
  const ended = printed(child, /\[debug:shown\]/)
  await call('/inject/weir-reading')
  await ended
}

function printed(child: ChildProcess, pattern: RegExp): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let text = ''
  child.stdout?.on('data', (part: Buffer) => {
    text += part
    if (pattern.test(text)) resolve()
  })
  child.once('exit', () => reject(new Error(`Node-RED ended: ${text}`)))
  // The process is killed at the end of the test, when nothing may await this promise.
  promise.catch(() => {})
  return promise
}
