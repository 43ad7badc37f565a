/** A Prometheus that runs for a test, and what its own storage holds. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { inflateSnappy } from '../../src/intake/index.ts'
import { childEnv } from '../support/child-env.ts'
import { keepablePort } from '../support/port.ts'
import { bytesField, packSnappy } from '../support/remote-write.ts'
import { eventually } from '../support/settle.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** A sample with the bits of its value. */
type BitSample = readonly [time: number, bits: bigint]

/** A series of Prometheus, oldest sample first. */
export interface StoredSeries {
  readonly labels: Readonly<Record<string, string>>
  readonly samples: readonly BitSample[]
}

/** A running Prometheus. */
export interface Prometheus {
  readonly url: string
  /** Replaces its configuration, without a restart. */
  configure(config: string): Promise<void>
  /** The sum of a metric of its own over all label sets. */
  metric(name: string): Promise<number>
  /** Everything that its storage holds, by remote read. */
  readAll(): Promise<StoredSeries[]>
  /** Ends it; it sends what waits before. */
  stop(): Promise<void>
}

/** Starts a Prometheus with a storage of its own; resolves when it is ready. */
export async function startPrometheus(
  t: TestContext,
  program: string,
  config: string,
  flags: readonly string[] = [],
): Promise<Prometheus> {
  const folder = temporaryFolder()
  const file = join(folder, 'prometheus.yml')
  writeFileSync(file, config)
  const port = await keepablePort()
  const url = `http://127.0.0.1:${port}`
  const child = spawn(
    program,
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--web.enable-lifecycle',
      ...flags,
    ],
    { env: childEnv, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  t.after(() => child.kill('SIGKILL'))
  let told = ''
  child.stderr.on('data', (part: Buffer) => {
    told += part
  })
  await eventually(async () => assert.equal((await fetch(`${url}/-/ready`)).status, 200, told))
  return {
    url,
    configure: async (text) => {
      writeFileSync(file, text)
      const answer = await fetch(`${url}/-/reload`, { method: 'POST' })
      assert.equal(answer.status, 200, await answer.text())
    },
    metric: async (name) => sumOf(await (await fetch(`${url}/metrics`)).text(), name),
    readAll: () => readAll(url),
    stop: async () => {
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      await gone
    },
  }
}

function sumOf(text: string, name: string): number {
  const lines = text.split('\n').filter((line) => new RegExp(`^${name}[ {]`).test(line))
  assert.ok(lines.length > 0, `${name} is not among the metrics`)
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

/** A query for all series with a name: the matcher is `__name__=~".+"`. */
function readRequest(): Buffer {
  const always = [Buffer.from([0x08, 0]), Buffer.from([0x10, ...varint(2n ** 52n)])]
  const matcher = [Buffer.from([0x08, 2]), bytesField(2, '__name__'), bytesField(3, '.+')]
  return packSnappy(bytesField(1, ...always, bytesField(3, ...matcher)))
}

async function readAll(url: string): Promise<StoredSeries[]> {
  const answer = await fetch(`${url}/api/v1/read`, {
    method: 'POST',
    body: readRequest(),
    headers: {
      'Content-Encoding': 'snappy',
      'Content-Type': 'application/x-protobuf',
      'X-Prometheus-Remote-Read-Version': '0.1.0',
    },
  })
  const body = Buffer.from(await answer.arrayBuffer())
  assert.equal(answer.status, 200, body.toString())
  const series: StoredSeries[] = []
  for (const result of fieldsOf(await inflateSnappy(body))) {
    for (const one of fieldsOf(result.bytes)) series.push(seriesOf(one.bytes))
  }
  return series
}

function seriesOf(bytes: Buffer): StoredSeries {
  const labels: Record<string, string> = {}
  const samples: BitSample[] = []
  for (const part of fieldsOf(bytes)) {
    const inner = [...fieldsOf(part.bytes)]
    const text = (field: number) => inner.find((one) => one.field === field)?.bytes.toString() ?? ''
    const number = (field: number) => inner.find((one) => one.field === field)?.number ?? 0n
    if (part.field === 1) labels[text(1)] = text(2)
    else samples.push([Number(number(2)), number(1)])
  }
  return { labels, samples }
}

interface Field {
  readonly field: number
  /** Of a varint or a fixed number. */
  readonly number: bigint
  /** Of everything else. */
  readonly bytes: Buffer
}

function* fieldsOf(bytes: Buffer): Generator<Field> {
  let at = 0
  const take = (): bigint => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++]
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  while (at < bytes.length) {
    const key = Number(take())
    const field = key >>> 3
    if ((key & 7) === 0) yield { field, number: take(), bytes: Buffer.alloc(0) }
    else if ((key & 7) === 1) {
      yield { field, number: bytes.readBigUInt64LE(at), bytes: Buffer.alloc(0) }
      at += 8
    } else {
      const length = Number(take())
      yield { field, number: 0n, bytes: bytes.subarray(at, at + length) }
      at += length
    }
  }
}

function varint(value: bigint): number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
  return [...bytes, Number(rest)]
}
