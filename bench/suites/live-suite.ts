import { drive, type Outcome } from '../load/drive.ts'
import { startLiveReaders } from '../load/live-readers.ts'
import { type PutLayout, putLayouts } from '../load/put-layouts.ts'
import { cpuSeconds, type RunningPeer } from '../peers/service.ts'
import { KEY, startWeir, weir } from '../peers/weir.ts'
import { better, type Cell, type Row } from '../report.ts'
import { printProgress, type Settings, withPeer } from '../settings.ts'

/** Pages that are open, as many as issue trackers call many. */
const PAGES = 1_000
const CALLS_MAX = 100_000_000
/** One bulk layout and one of small calls. */
const LAYOUTS = ['compact', 'single']
/** Of four pages three show the last values of a component, and one draws a stream. */
const CHART_EVERY = 4

/** Puts while nobody listens and while a thousand pages do, in turns on one service, as a ratio. */
export async function liveSuite(settings: Settings): Promise<Row[]> {
  if (!settings.peers.includes(weir)) return []
  const rows: Row[] = []
  for (const layout of putLayouts.filter(({ name }) => LAYOUTS.includes(name))) {
    printProgress(`Weir: ${layout.name} beside ${PAGES} live pages`)
    const figures = `total=${PAGES},organization=${PAGES},user=${PAGES},address=${PAGES}`
    const start = (folder: string) => startWeir(folder, { WEIR_LIVE: figures })
    rows.push(...(await withPeer({ start }, (running) => compare(running, layout, settings))))
  }
  return rows
}

async function compare(
  running: RunningPeer,
  layout: PutLayout,
  { seconds, rounds }: Settings,
): Promise<Row[]> {
  const next = layout.puts(running.putForm)
  const { connections, samplesPerCall } = layout
  const load = (secondsMax: number) =>
    drive(running, { connections, secondsMax, callsMax: CALLS_MAX, next })
  const unit = samplesPerCall === 1 ? 'calls/s' : 'samples/s'
  let alone: Cell | undefined
  let beside: Cell | undefined
  await measured(running, layout, () => load(seconds))
  for (let round = 0; round < rounds; round += 1) {
    alone = better(unit, alone, await measured(running, layout, () => load(seconds)))
    const readers = await startLiveReaders(running.port, targetsOf(layout))
    beside = better(unit, beside, await measured(running, layout, () => load(seconds)))
    printProgress(`  the pages have read ${((await readers.stop()) / 1e6).toFixed(1)} MB`)
  }
  if (alone === undefined || beside === undefined) return []
  const ratio = (beside.value / alone.value).toFixed(2)
  const row = (work: string, aim: string, cell: Cell): Row => ({
    work: `${layout.name}, ${work}`,
    unit,
    aim,
    cells: { Weir: cell },
  })
  return [
    row('nobody listens', '', alone),
    row(`${PAGES} live pages`, '≥ 0.9x', { ...beside, note: `${ratio}x of nobody` }),
  ]
}

async function measured(
  running: RunningPeer,
  { samplesPerCall }: PutLayout,
  load: () => Promise<Outcome>,
): Promise<Cell> {
  const before = cpuSeconds(running.process) ?? 0
  const { calls, seconds, p50Ms, p99Ms } = await load()
  const used = (cpuSeconds(running.process) ?? 0) - before
  const value = (calls * samplesPerCall) / seconds
  printProgress(
    `  ${Math.round(value)} a second, ${((used * 1e6) / calls).toFixed(1)} µs of processor time a call`,
  )
  return { value, p50Ms, p99Ms }
}

function targetsOf({ streams }: PutLayout): string[] {
  return Array.from({ length: PAGES }, (_, page) => {
    const { compId, streamId } = streams[page % streams.length]
    const asked =
      page % CHART_EVERY === 0 ? `comp=${compId}&stream=${streamId}` : `comp=${compId}&last`
    return `/api/live?${asked}&api_key=${KEY}`
  })
}
