import type { NextPut, PutLayout } from './put-layouts.ts'
import { Walk, type WireForm } from './put-template.ts'
import { RemoteWriteTemplate } from './remote-write-template.ts'

const CONNECTIONS = 4
const STEP_MS = 15_000
const START = Date.now() - 30 * 86_400_000
/** Series of one node exporter. */
const SERIES_PER_INSTANCE = 500
const MODES = ['user', 'system', 'idle', 'iowait', 'irq', 'softirq', 'steal', 'nice'] as const
const AIM = '≥ 1.0x VictoriaMetrics'

type Labels = readonly (readonly [string, string])[]

/** Series as a node exporter has them. */
function seriesOf(count: number): readonly Labels[] {
  return Array.from({ length: count }, (_, at) => [
    ['__name__', 'node_cpu_seconds_total'],
    ['cpu', String(Math.floor((at % SERIES_PER_INSTANCE) / MODES.length))],
    ['instance', `10.0.0.${Math.floor(at / SERIES_PER_INSTANCE)}:9100`],
    ['job', 'node'],
    ['mode', MODES[at % MODES.length]],
  ])
}

/** Bodies as Prometheus and its relatives send them: version 1.0, compressed. */
export const remoteWriteLayouts: readonly PutLayout[] = [
  layoutOf('remote-write-10', { series: 1_000, samples: 10 }),
  layoutOf('remote-write-1', { series: 10_000, samples: 1 }),
]

function layoutOf(
  name: string,
  { series, samples }: { readonly series: number; readonly samples: number },
): PutLayout {
  const labels = seriesOf(series)
  const count = series.toLocaleString('en-US')
  return {
    name,
    work: `remote write, ${count} series with ${samples} sample${samples > 1 ? 's' : ''} each a call, 4 connections`,
    aim: AIM,
    samplesPerCall: series * samples,
    connections: CONNECTIONS,
    streams: [],
    puts: (form) => putsOf(headOf(form), labels, samples),
  }
}

/** The head of a put, to the address of remote write with the same credential. */
function headOf({ head }: WireForm): string {
  return head
    .replace(/^POST \S+/, 'POST /api/v1/write')
    .replace(
      /Content-Type: .*\r\n/,
      'Content-Type: application/x-protobuf\r\nContent-Encoding: snappy\r\n',
    )
}

function putsOf(head: string, series: readonly Labels[], samples: number): NextPut {
  const templates = Array.from(
    { length: CONNECTIONS },
    () => new RemoteWriteTemplate(head, series, samples),
  )
  const walks = series.map((_, at) => new Walk(at + 1))
  let round = 0
  return (connection) => {
    const first = START + round++ * samples * STEP_MS
    return templates[connection].fill(
      (sample) => first + (sample % samples) * STEP_MS,
      (sample) => walks[Math.floor(sample / samples)].next() / 100,
    )
  }
}
