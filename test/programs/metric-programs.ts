/** Programs that write metrics, as their makers publish them: where they are once installed. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { obtain, obtainPython, whyMissing } from './run-program.ts'

const CACHE = resolve('node_modules/.cache/weir-programs')

const PROMETHEUS_3 = 'v0.314.0'
const COLLECTOR = 'v0.161.0'
const TELEMETRYGEN = 'v0.161.0'
const PYTHON_SDK = ['opentelemetry-sdk==1.43.0', 'opentelemetry-exporter-otlp-proto-http==1.43.0']

/** A program that Debian has in a package, by its path or from the PATH. */
export interface Program {
  readonly path: string
  /** Why it cannot be run, or false. */
  readonly skip: string | false
}

/** Prometheus 2 of Debian's package. */
export async function obtainPrometheus2(): Promise<Program> {
  return await installed('prometheus', ['--version'])
}

/** vmagent of Debian's package victoria-metrics, or a newer one that comes first in the PATH. */
export async function obtainVmagent(): Promise<Program> {
  return await installed('vmagent', ['-version'])
}

async function installed(path: string, words: readonly string[]): Promise<Program> {
  return { path, skip: await whyMissing([path, ...words]) }
}

/** Prometheus 3, without the service discoveries that need clients of clouds. */
export async function obtainPrometheus3(): Promise<Program> {
  const name = 'github.com/prometheus/prometheus/cmd/prometheus'
  return await built({ name, version: PROMETHEUS_3, tags: 'remove_all_sd' })
}

/** The load generator of OpenTelemetry. */
export async function obtainTelemetrygen(): Promise<Program> {
  const name = 'github.com/open-telemetry/opentelemetry-collector-contrib/cmd/telemetrygen'
  return await built({ name, version: TELEMETRYGEN })
}

interface GoProgram {
  readonly name: string
  readonly version: string
  readonly tags?: string
}

/** Builds in a module of its own, because `go install` refuses modules that replace others. */
async function built({ name, version, tags = '' }: GoProgram): Promise<Program> {
  const home = join(CACHE, `${name.split('/').at(-1)}-${version}`)
  const path = join(home, 'program')
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'go.mod'), 'module example.test/program\n\ngo 1.24\n')
  const go = ['go', '-C', home]
  const skip =
    (await whyMissing(['go', 'version'])) ||
    (await obtain(path, [
      [...go, 'get', `${name}@${version}`],
      [...go, 'build', '-tags', tags, '-o', path, name],
    ]))
  return { path, skip }
}

/** An OpenTelemetry Collector that its builder makes of a receiver, a processor, and an exporter. */
export async function obtainCollector(): Promise<Program> {
  const home = join(CACHE, `collector-${COLLECTOR}`)
  const path = join(home, 'built/collector')
  mkdirSync(home, { recursive: true })
  const modules = ['receiver/otlpreceiver', 'processor/batchprocessor', 'exporter/otlphttpexporter']
  const parts = modules.map((name) => {
    const kind = name.split('/')[0]
    return `${kind}s:\n  - gomod: go.opentelemetry.io/collector/${name} ${COLLECTOR}\n`
  })
  const dist = `dist:\n  name: collector\n  output_path: ${join(home, 'built')}\n`
  const manifest = join(home, 'manifest.yaml')
  writeFileSync(manifest, `${dist}${parts.join('')}`)
  const builder = `go.opentelemetry.io/collector/cmd/builder@${COLLECTOR}`
  const skip =
    (await whyMissing(['go', 'version'])) ||
    (await obtain(path, [['go', 'run', builder, `--config=${manifest}`]]))
  return { path, skip }
}

/** Python with the SDK of OpenTelemetry and its exporter over HTTP. */
export async function obtainPythonSdk(): Promise<Program> {
  const home = join(CACHE, `opentelemetry-${PYTHON_SDK[0].split('==')[1]}`)
  const skip = await obtainPython(home, PYTHON_SDK)
  return { path: join(home, 'bin/python3'), skip }
}
