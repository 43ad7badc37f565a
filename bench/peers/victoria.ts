import { existsSync } from 'node:fs'
import { getRequest, sendOnce } from '../load/connection.ts'
import type { StreamName } from '../load/put-template.ts'
import { lineProtocol } from './influx.ts'
import { freePort, launch, type Peer, type RunningPeer, untilQuiet, untilReady } from './service.ts'

const BINARY = '/usr/bin/victoria-metrics'

/** VictoriaMetrics of Debian's package: default settings, which hold new samples in memory first. */
export const victoria: Peer = {
  name: 'VictoriaMetrics 1.79',
  isDurable: false,
  missing: () => (existsSync(BINARY) ? undefined : 'the package victoria-metrics is not installed'),
  start: startVictoria,
}

async function startVictoria(folder: string): Promise<RunningPeer> {
  const port = await freePort()
  const child = launch(BINARY, [
    `-storageDataPath=${folder}`,
    `-httpListenAddr=127.0.0.1:${port}`,
    '-retentionPeriod=20y',
    '-loggerLevel=ERROR',
    // Loading on a busy machine takes longer than its default of two minutes.
    '-http.connTimeout=1h',
  ])
  await untilReady(child, { port }, getRequest('/health'))
  const seconds = (ms: number) => (ms / 1_000).toFixed(3)
  return {
    port,
    process: child,
    putForm: lineProtocol,
    lastValue: (stream, lastTime) =>
      getRequest(`/api/v1/query?query=${encode(selector([stream]))}&time=${seconds(lastTime)}`),
    latest: (stream, count, lastTime) => {
      // It has no "latest n": the samples are 10 s apart, so this stretch holds as many.
      const range = `start=${seconds(lastTime - (count - 1) * 10_000)}&end=${seconds(lastTime)}`
      return getRequest(`/api/v1/export?match[]=${encode(selector([stream]))}&${range}`)
    },
    hourlyMax: (streams, from, until) => {
      const text = encode(`max_over_time(${selector(streams)}[1h])`)
      const range = `start=${seconds(from + 3_600_000)}&end=${seconds(until)}&step=1h`
      return getRequest(`/api/v1/query_range?query=${text}&${range}`)
    },
    promql: (call) => getRequest(`/api/v1/${call}&nocache=1`),
    settle: () => settle(port, folder),
  }
}

async function settle(port: number, folder: string): Promise<void> {
  await sendOnce({ port }, getRequest('/internal/force_flush'))
  await sendOnce({ port }, getRequest('/internal/force_merge'))
  await untilQuiet(folder, { quietMs: 4_000, secondsMax: 60 })
}

const encode = encodeURIComponent

function selector(streams: readonly StreamName[]): string {
  const names = streams.map(({ streamId }) => streamId).join('|')
  return `m_v{host="${streams[0].compId}",s=~"${names}"}`
}
