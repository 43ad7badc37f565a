import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packSnappy, type WrittenSeries, writeRequest1 } from '../../test/support/remote-write.ts'
import { getRequest } from '../load/connection.ts'
import { freePort, launch, type RunningPeer, untilReady } from './service.ts'

const BINARY = '/usr/bin/prometheus'

/** Why Prometheus, whose answers others are compared with, cannot run here; or undefined. */
export function missingPrometheus(): string | undefined {
  return existsSync(BINARY) ? undefined : 'the package prometheus is not installed'
}

/** Prometheus of Debian's package with a receiver of remote write, which scrapes nothing. */
export async function startPrometheus(
  folder: string,
): Promise<Pick<RunningPeer, 'port' | 'process'>> {
  mkdirSync(folder, { recursive: true })
  const port = await freePort()
  const config = join(folder, 'prometheus.yml')
  writeFileSync(config, 'global: {}\n')
  const child = launch(BINARY, [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(folder, 'tsdb')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--web.enable-remote-write-receiver',
  ])
  await untilReady(child, { port }, getRequest('/-/ready'))
  return { port, process: child }
}

/** Stores samples by remote write. */
export async function writeRemote(port: number, series: readonly WrittenSeries[]): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/write`, {
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
