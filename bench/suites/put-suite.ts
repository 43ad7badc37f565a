import { drive, type Outcome } from '../load/drive.ts'
import { bulkPuts, type NextPut, type PutLayout, partsOf, putLayouts } from '../load/put-layouts.ts'
import { PutTemplate, type WireForm } from '../load/put-template.ts'
import { cpuSeconds, memoryPeakMb, type Peer, type RunningPeer, stop } from '../peers/service.ts'
import { better, type Cell, type Row } from '../report.ts'
import { printProgress, type Settings, withPeer } from '../settings.ts'

const CALLS_MAX = 100_000_000
/** Ends the making of streams that hangs. */
const CREATE_SECONDS_MAX = 600
const CREATED_PER_CALL = 1_000
const CREATED_AT = Date.now() - 40 * 86_400_000
/** The layout whose memory is measured. */
const MEMORY_LAYOUT = 'bulk'

/** What one layout showed, by service. */
interface Shown {
  readonly cold: Record<string, Cell>
  readonly warm: Record<string, Cell>
  /** Processor time a sample, warmed up. */
  readonly cpu: Record<string, Cell>
}

/**
 * Puts in every layout that clients send, each on a service that has been stopped and started since its
 * streams were made: the first seconds after the start, and as many after these. The services take turns.
 */
export function putSuite(settings: Settings): Promise<Row[]> {
  return measureLayouts(settings, putLayouts)
}

/** The rows of some layouts, of those that the settings choose. */
export async function measureLayouts(
  settings: Settings,
  all: readonly PutLayout[],
): Promise<Row[]> {
  const layouts = all.filter(({ name }) => settings.layouts?.includes(name) ?? true)
  const shown = new Map(
    layouts.map((layout): [PutLayout, Shown] => [layout, { cold: {}, warm: {}, cpu: {} }]),
  )
  const memory: Record<string, Cell> = {}
  for (let round = 0; round < settings.rounds; round++) {
    for (const [layout, { cold, warm, cpu }] of shown) {
      for (const peer of settings.peers) {
        printProgress(`${peer.name}: ${layout.name}`)
        const { name } = peer
        await withLayout(layout, peer, async (running) => {
          const load = putsFor(running, layout, layout.puts(formOf(layout, running)))
          const note = peer.isDurable ? undefined : 'not durable'
          const first = await measure(running, load, settings)
          const then = await measure(running, load, settings)
          cold[name] = better(unitOf(layout), cold[name], cellOf(first, layout, note))
          warm[name] = better(unitOf(layout), warm[name], cellOf(then, layout, note))
          const used = { value: then.cpuUsPerCall / layout.samplesPerCall }
          cpu[name] = better('µs/sample', cpu[name], used)
          if (layout.name !== MEMORY_LAYOUT) return
          memory[name] = { value: memoryPeakMb(running.process) ?? 0 }
        })
      }
    }
  }
  return rowsOf(shown, memory, settings)
}

function rowsOf(
  shown: ReadonlyMap<PutLayout, Shown>,
  memory: Record<string, Cell>,
  { seconds }: Settings,
): Row[] {
  const rows: Row[] = []
  for (const [layout, { warm }] of shown) {
    rows.push({ work: layout.work, unit: unitOf(layout), aim: layout.aim, cells: warm })
  }
  for (const [layout, { cold }] of shown) {
    const work = `${layout.name}, first ${seconds} s after a start`
    rows.push({ work, unit: unitOf(layout), aim: layout.aim, cells: cold })
  }
  for (const [{ name }, { cpu }] of shown) {
    rows.push({ work: `${name}, processor time`, unit: 'µs/sample', aim: '', cells: cpu })
  }
  if (Object.keys(memory).length > 0) {
    rows.push({ work: 'memory at most, bulk put', unit: 'MB', aim: '', cells: memory })
  }
  return rows
}

function unitOf({ samplesPerCall }: PutLayout): Row['unit'] {
  return samplesPerCall === 1 ? 'calls/s' : 'samples/s'
}

/** Runs work on a service that knows the streams of a layout and has just been started. */
async function withLayout(
  layout: PutLayout,
  peer: Peer,
  work: (running: RunningPeer) => Promise<void>,
): Promise<void> {
  await withPeer(peer, async (making, folder) => {
    await makeStreams(making, layout)
    await stop(making.process)
    const running = await peer.start(folder)
    try {
      await work(running)
    } finally {
      await stop(running.process)
    }
  })
}

function formOf({ sample }: PutLayout, { putForm }: RunningPeer): WireForm {
  return sample === undefined ? putForm : { ...putForm, sample }
}

/** Makes the streams of a layout by a first sample of each. */
export async function makeStreams(running: RunningPeer, layout: PutLayout): Promise<void> {
  const { streams } = layout
  if (streams.length === 0) return await makeByFirstPut(running, layout)
  const parts = partsOf(streams, CREATED_PER_CALL)
  let at = 0
  await drive(running, {
    connections: 1,
    secondsMax: CREATE_SECONDS_MAX,
    callsMax: parts.length,
    next: () => firstPut(formOf(layout, running), parts[at++]),
  })
}

/** Makes the streams of a layout each of whose calls puts to all. */
async function makeByFirstPut(running: RunningPeer, layout: PutLayout): Promise<void> {
  const next = layout.puts(running.putForm)
  await drive(running, { connections: 1, secondsMax: CREATE_SECONDS_MAX, callsMax: 1, next })
}

function firstPut(form: WireForm, part: Parameters<typeof partsOf>[0]): Buffer {
  return new PutTemplate(form, part).fill(
    () => CREATED_AT,
    (sample) => 2_000 + (sample % 100),
  )
}

/** Runs a load for the given seconds. The next run continues where this one ended. */
type Driven = (seconds: number) => Promise<Outcome>

function putsFor(running: RunningPeer, { connections }: PutLayout, next: NextPut): Driven {
  return (secondsMax) => drive(running, { connections, secondsMax, callsMax: CALLS_MAX, next })
}

/** The bulk load by itself, for who measures something beside it. */
export function bulkLoad(running: RunningPeer): Driven {
  return putsFor(running, putLayouts[0], bulkPuts(running.putForm))
}

/** What a load has shown, and the processor time that the service took for each call. */
interface Measured extends Outcome {
  readonly cpuUsPerCall: number
}

/** Drives a load and takes what it cost: processor time says more than rates on a busy machine. */
async function measure(
  running: RunningPeer,
  load: Driven,
  { seconds }: Settings,
): Promise<Measured> {
  const before = cpuSeconds(running.process) ?? 0
  const outcome = await load(seconds)
  const used = (cpuSeconds(running.process) ?? 0) - before
  const cpuUsPerCall = (used * 1e6) / outcome.calls
  printProgress(`  ${cpuUsPerCall.toFixed(1)} µs of processor time a call`)
  return { ...outcome, cpuUsPerCall }
}

function cellOf(outcome: Outcome, { samplesPerCall }: PutLayout, note: string | undefined): Cell {
  if (outcome.generatorShare > 0.8) {
    printProgress(`  the generator used ${(outcome.generatorShare * 100).toFixed(0)} % of a core`)
  }
  const { p50Ms, p99Ms } = outcome
  return { value: (outcome.calls * samplesPerCall) / outcome.seconds, p50Ms, p99Ms, note }
}
