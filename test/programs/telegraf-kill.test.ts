/**
 * Telegraf writes while the service is killed again and again, and its disk fills up once: every point is read back
 * exactly once. `WEIR_TEST_KILLS=15` runs longer.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { childEnv } from '../support/child-env.ts'
import { type ChildService, startChildService } from '../support/child-service.ts'
import { keepablePort } from '../support/port.ts'
import { comesTrue } from '../support/settle.ts'
import { fillDisk, mountDisk } from '../support/small-disk.ts'
import { storedSamples } from '../support/stored-samples.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { runWeir } from '../support/weir-command.ts'
import { exampleFor, obtainTelegraf, telegraf } from './writer-programs.ts'

const KILLS = Number(process.env.WEIR_TEST_KILLS ?? 4)
const KILLED_EVERY_MS = process.env.WEIR_TEST_KILLS === undefined ? 5_000 : 20_000
/** What the disk stays full for: some writes of Telegraf. */
const FULL_MS = 6_000

const skip = await obtainTelegraf()
test('Telegraf: no point is lost or doubled by kills and a full disk', { skip }, async (t) => {
  const disk = mountDisk(t)
  if (disk === undefined) return
  const dataDir = join(disk.folder, 'data')
  const port = await keepablePort()
  const settings = { WEIR_PORT: String(port), WEIR_RATE_LIMITS: 'off' }
  let service: ChildService = await startChildService(dataDir, settings)
  t.after(() => service.kill())
  const feedKey = await keyOf(dataDir, 'first')
  const agent = startTelegraf(t, { port, feedKey })
  for (let kills = 0; kills < KILLS; kills++) {
    await pause(KILLED_EVERY_MS)
    await service.kill()
    service = await startChildService(dataDir, settings)
    if (kills > 0) continue
    const filler = fillDisk(disk.folder)
    await pause(FULL_MS)
    rmSync(filler)
  }
  await agent.stop()
  const oracle = readOracle(agent.file)
  const names = Object.keys(oracle)
  assert.ok(names.length > 40, `only ${names.length} streams`)
  const stored = await storedSamples({ url: service.url, feedKey }, 'greenhouse')
  assert.deepEqual(Object.keys(stored).sort(), names.sort())
  for (const name of names) {
    assert.deepEqual({ [name]: stored[name] }, { [name]: oracle[name] })
  }
  const points = Object.values(oracle).reduce((sum, samples) => sum + samples.length, 0)
  t.diagnostic(
    `${points} points of ${names.length} streams, ${KILLS} kills, ${agent.failedWrites()} failed writes`,
  )
  assert.ok(agent.failedWrites() > 0, 'no write of Telegraf failed')
  const added = await runWeir(dataDir, 'org', 'add', 'Second', '--owner-email', 'b@example.com')
  assert.equal(added.code, 0, added.err)
  const other = /feedKey +(\S+)/.exec(added.out)?.[1] ?? assert.fail(added.out)
  assert.deepEqual(await storedSamples({ url: service.url, feedKey: other }, 'greenhouse'), {})
})

async function keyOf(dataDir: string, name: string): Promise<string> {
  const { out, err } = await runWeir(dataDir, 'key', 'add', name)
  return /secret +(\S+)/.exec(out)?.[1] ?? assert.fail(out + err)
}

/** Starts Telegraf as the docs describe, with a second output to a file; `stop` waits until it has written all. */
function startTelegraf(t: TestContext, target: { port: number; feedKey: string }) {
  const folder = temporaryFolder()
  const file = join(folder, 'out.influx')
  const config = join(folder, 'telegraf.conf')
  const inputs = ['cpu', 'mem', 'disk', 'net'].map((name) => `[[inputs.${name}]]\n`).join('')
  const example = exampleFor(target, { heading: 'Telegraf', language: 'toml' })
  const hurry = '  timeout = "2s"\n'
  writeFileSync(
    config,
    `[agent]\nhostname = "greenhouse"\ninterval = "500ms"\nflush_interval = "1s"\nmetric_buffer_limit = 1000000\n` +
      `${inputs}[[outputs.file]]\nfiles = ["${file}"]\ndata_format = "influx"\n${example}${hurry}`,
  )
  const child = spawn(telegraf, ['--config', config, '--debug'], {
    env: childEnv,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  let told = ''
  child.stderr.on('data', (part) => {
    told += part
  })
  const stop = async () => {
    // Its last flush is tried once: what it has kept must be written before.
    await comesTrue(() => /outputs\.influxdb_v2\].* Buffer fullness: 0 \//.test(lastOf(told)))
    const gone = once(child, 'exit')
    child.kill('SIGTERM')
    await gone
  }
  const failedWrites = () => told.match(/Error writing to outputs\.influxdb_v2/g)?.length ?? 0
  return { file, stop, failedWrites }
}

/** What Telegraf has said last of its output. */
function lastOf(told: string): string {
  return told.split('\n').findLast((line) => /outputs\.influxdb_v2\].*Buffer/.test(line)) ?? ''
}

type Samples = [time: number, data: unknown][]

/** The samples of each stream, by the lines that Telegraf has written to a file. */
function readOracle(file: string): Record<string, Samples> {
  const streams: Record<string, Map<number, number>> = {}
  for (const line of readFileSync(file, 'utf8').trimEnd().split('\n')) {
    const [, measurement, tagText, fields, time] =
      /^(\w+),((?:\\.|[^ ])+) (\S+) (\d+)$/.exec(line) ?? assert.fail(line)
    const tags = tagText.split(',').filter((tag) => !tag.startsWith('host='))
    const suffix = tags.sort().map((tag) => `,${tag}`)
    for (const field of fields.split(',')) {
      const [name, value] = field.split('=')
      const id = [`${measurement}_${name}`, ...suffix].join('')
      streams[id] ??= new Map()
      // A folder that is mounted twice has two lines: the last one counts.
      streams[id].set(Number(BigInt(time) / 1_000_000n), Number.parseFloat(value))
    }
  }
  return Object.fromEntries(Object.entries(streams).map(([id, samples]) => [id, [...samples]]))
}
