import { putLayouts, telegrafLayout } from '../load/put-layouts.ts'
import { remoteWriteLayouts } from '../load/remote-write-layouts.ts'
import { influx } from '../peers/influx.ts'
import { weir, weirLines } from '../peers/weir.ts'
import type { Row } from '../report.ts'
import type { Settings } from '../settings.ts'
import { onboardSuite } from './onboard-suite.ts'
import { measureLayouts } from './put-suite.ts'

/** Layouts whose bytes differ in line protocol; the others are ways of writing JSON. */
const BULK_LAYOUTS = ['bulk', 'compact', 'shuffled', 'digits', 'fleet']
/** Layouts in which the call costs more than its samples. */
const SMALL_LAYOUTS = ['device', 'single']
const AIM = '≥ 1.2x VictoriaMetrics at 0.6x of its processor time, ≥ 5x InfluxDB'
const FLEET_AIM = '≥ 1x VictoriaMetrics at 0.6x of its processor time, ≥ 5x InfluxDB'
const SMALL_AIM = '≥ 0.9x VictoriaMetrics, ≥ 1x JSON'

/** Every service with the same bytes of line protocol; small calls and new series next to JSON, too. */
export async function doorsSuite(settings: Settings): Promise<Row[]> {
  const lines = settings.peers.map((peer) => (peer === weir ? weirLines : peer))
  const json = settings.peers.includes(weir) ? [{ ...weir, name: 'Weir with JSON' }] : []
  const bulk = putLayouts.filter(({ name }) => BULK_LAYOUTS.includes(name))
  const small = putLayouts.filter(({ name }) => SMALL_LAYOUTS.includes(name))
  const rows = await measureLayouts(
    { ...settings, peers: lines },
    [...bulk, telegrafLayout].map((layout) => {
      return { ...layout, aim: layout.name === 'fleet' ? FLEET_AIM : AIM }
    }),
  )
  const besideJson = { ...settings, peers: [...lines, ...json] }
  rows.push(
    ...(await measureLayouts(
      besideJson,
      small.map((layout) => ({ ...layout, aim: SMALL_AIM })),
    )),
  )
  // InfluxDB 1 has another address for it.
  const remote = { ...settings, peers: lines.filter((peer) => peer !== influx) }
  rows.push(...(await measureLayouts(remote, remoteWriteLayouts)))
  const isChosen = settings.layouts?.includes('new') ?? true
  return isChosen ? [...rows, ...(await onboardSuite(besideJson))] : rows
}
