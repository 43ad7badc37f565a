import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getRequest, sendOnce } from '../load/connection.ts'
import type { StreamName } from '../load/put-template.ts'
import { freePort, launch, type Peer, type RunningPeer, untilQuiet, untilReady } from './service.ts'

const BINARY = '/usr/bin/influxd'

/** InfluxDB 1.x of Debian's package `influxdb`: default settings, which sync each write. */
export const influx: Peer = {
  name: 'InfluxDB 1.6',
  isDurable: true,
  missing: () => (existsSync(BINARY) ? undefined : 'the package influxdb is not installed'),
  start: startInflux,
}

async function startInflux(folder: string): Promise<RunningPeer> {
  mkdirSync(folder, { recursive: true })
  const port = await freePort()
  const config = join(folder, 'influxdb.conf')
  writeFileSync(config, configOf(folder, port, await freePort()))
  const child = launch(BINARY, ['run', '-config', config])
  await untilReady(child, { port }, getRequest('/ping'))
  await sendOnce({ port }, query('CREATE DATABASE bench', 'POST'))
  return {
    port,
    process: child,
    putForm: lineProtocol,
    lastValue: (stream) => query(`SELECT last(v) FROM m WHERE ${where([stream])}`),
    latest: (stream, count) =>
      query(`SELECT v FROM m WHERE ${where([stream])} ORDER BY time DESC LIMIT ${count}`),
    hourlyMax: (streams, from, until) =>
      query(
        `SELECT max(v) FROM m WHERE ${where(streams)} AND time >= ${from}ms AND time < ${until}ms` +
          ' GROUP BY time(1h), s',
      ),
    settle: () => untilQuiet(folder, { quietMs: 8_000, secondsMax: 60 }),
  }
}

/** Line protocol, which InfluxDB and VictoriaMetrics both take. */
export const lineProtocol: RunningPeer['putForm'] = {
  head: 'POST /write?db=bench&precision=ms HTTP/1.1\r\nHost: bench\r\nContent-Type: text/plain\r\n',
  open: '',
  between: '\n',
  close: '\n',
  sample: ({ compId, streamId }, time, value) =>
    `m,host=${compId},s=${streamId} v=${value} ${time}`,
}

function where(streams: readonly StreamName[]): string {
  const names = streams.map(({ streamId }) => `s = '${streamId}'`).join(' OR ')
  return `host = '${streams[0].compId}' AND (${names})`
}

function query(text: string, method = 'GET'): Buffer {
  return getRequest(`/query?db=bench&epoch=ms&q=${encodeURIComponent(text)}`, method)
}

/**
 * The defaults, on loopback only and without usage reports; once writes have stopped, what is written
 * moves to its compressed files after seconds instead of ten minutes, so that its size can be taken.
 */
function configOf(folder: string, port: number, backupPort: number): string {
  return `reporting-disabled = true
bind-address = "127.0.0.1:${backupPort}"
[meta]
dir = "${join(folder, 'meta')}"
[data]
dir = "${join(folder, 'data')}"
wal-dir = "${join(folder, 'wal')}"
cache-snapshot-write-cold-duration = "3s"
compact-full-write-cold-duration = "5s"
[http]
bind-address = "127.0.0.1:${port}"
`
}
