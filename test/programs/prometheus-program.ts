/** Prometheus as its makers publish it, built from the modules of Go: how it is built once for all runs, and started. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { TestContext } from 'node:test'
import { keepablePort } from '../support/port.ts'
import { packSnappy, type WrittenSeries, writeRequest1 } from '../support/remote-write.ts'
import { comesTrue } from '../support/settle.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { obtain, whyMissing } from './run-program.ts'

/** The version whose answers the engine gives: 3.14.0. Go modules name it without the major version. */
const VERSION = 'v0.314.0'
const PACKAGE = 'github.com/prometheus/prometheus/cmd/prometheus'

/** Leaves out service discoveries, which need clients of clouds. */
const TAGS = 'remove_all_sd'

const home = resolve('node_modules/.cache/weir-programs', `prometheus-${VERSION}`)
const program = join(home, 'program')

/** Everything that the engine has, too. */
const FEATURES = 'promql-experimental-functions,promql-duration-expr'

/** Why Prometheus cannot be had, or false. The first build takes some minutes. */
export async function obtainPrometheus(): Promise<string | false> {
  const missing = await whyMissing(['go', 'version'])
  if (missing !== false) return missing
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'go.mod'), 'module example.test/prometheus\n\ngo 1.25\n')
  writeFileSync(
    join(home, 'tools.go'),
    `//go:build tools\n\npackage tools\n\nimport _ "${PACKAGE}"\n`,
  )
  return await obtain(program, [
    ['go', '-C', home, 'get', `${PACKAGE}@${VERSION}`],
    ['go', '-C', home, 'build', '-tags', TAGS, '-o', program, PACKAGE],
  ])
}

/** A Prometheus that scrapes nothing and takes samples by remote write, in any order of time. */
export interface StartedPrometheus {
  readonly url: string
  write(series: readonly WrittenSeries[]): Promise<void>
}

/** Starts Prometheus until the test ends. */
export async function startPrometheus(t: TestContext): Promise<StartedPrometheus> {
  const folder = temporaryFolder()
  const config = join(folder, 'prometheus.yml')
  writeFileSync(config, 'storage:\n  tsdb:\n    out_of_order_time_window: 10000d\n')
  const port = await keepablePort()
  const child = spawn(
    program,
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'tsdb')}`,
      '--storage.tsdb.retention.time=100y',
      `--web.listen-address=127.0.0.1:${port}`,
      '--web.enable-remote-write-receiver',
      `--enable-feature=${FEATURES}`,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'], cwd: folder },
  )
  let output = ''
  child.stderr.on('data', (text) => {
    output = `${output}${text}`.slice(-10_000)
  })
  t.after(async () => {
    if (child.exitCode !== null) return
    child.kill()
    await once(child, 'exit')
  })
  const url = `http://127.0.0.1:${port}`
  await comesTrue(async () => {
    if (child.exitCode !== null) throw new Error(`Prometheus ended: ${output}`)
    const answer = await fetch(`${url}/-/ready`).catch(() => undefined)
    return answer?.ok === true
  })
  return { url, write: (series) => write(url, series) }
}

async function write(url: string, series: readonly WrittenSeries[]): Promise<void> {
  const answer = await fetch(`${url}/api/v1/write`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/x-protobuf',
      'Content-Encoding': 'snappy',
      'X-Prometheus-Remote-Write-Version': '0.1.0',
    },
    body: packSnappy(writeRequest1(series)),
  })
  if (!answer.ok) throw new Error(`Prometheus answered ${answer.status}: ${await answer.text()}`)
}
