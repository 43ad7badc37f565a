/**
 * `node bench/parse.ts bulk,telegraf,remote-write-1`: processor time of reading bodies into columns, whose series are
 * all known: line protocol or remote write, and JSON where the layout has it. The best of all repetitions counts.
 */
import type { IncomingSamples } from '../src/feed/index.ts'
import {
  inflateSnappy,
  LineReader,
  RemoteWriteReader,
  readJsonSamples,
  SeriesCache,
  StreamCache,
} from '../src/intake/index.ts'
import type { StreamHandle } from '../src/store/index.ts'
import { type PutLayout, putLayouts, telegrafLayout } from './load/put-layouts.ts'
import type { WireForm } from './load/put-template.ts'
import { remoteWriteLayouts } from './load/remote-write-layouts.ts'
import { lineProtocol } from './peers/influx.ts'
import { weirCalls } from './peers/weir.ts'

/** Enough for each part of a layout, and no more than the caches of a processor hold of bodies. */
const BODIES = 16
const POINTS_PER_ROUND = 150_000
const ROUNDS = 20
const BOUNDS = { samplesMax: 100_000, seriesMax: 1_000_000 }
const BYTES_PER_READ = 128 * 1024

/** Reads a body, and returns its number of samples. */
type Read = (body: Buffer) => Promise<number>

function doorRead(isRemoteWrite: boolean): Read {
  const cache = new SeriesCache({ seriesGeneration: 0, has: () => true })
  let streams = 0
  return async (body) => {
    const reader = isRemoteWrite
      ? new RemoteWriteReader(await inflateSnappy(body), cache, { ...BOUNDS, version: 1 })
      : new LineReader(body, cache, { ...BOUNDS, precision: 'ms' })
    const slice = reader.begin()
    while (reader.read('org', BYTES_PER_READ));
    for (const open of slice.samples.series) open.handle = ++streams as StreamHandle
    reader.learn()
    slice.releaseLines()
    return countOf(slice.samples)
  }
}

function jsonRead(): Read {
  const handles = new Map<string, StreamHandle>()
  const cache = new StreamCache({
    generation: 1,
    keepsDigits: () => false,
    resolve: (_, ...ids) => {
      const name = ids.join(' ')
      const handle = handles.get(name) ?? ((handles.size + 1) as StreamHandle)
      handles.set(name, handle)
      return handle
    },
  })
  const source = { cache, orgUid: 'org', createMax: BOUNDS.seriesMax }
  return async (body) => countOf(await readJsonSamples(body, source))
}

function countOf(samples: IncomingSamples): number {
  const { count } = samples
  samples.release()
  return count
}

function bodiesOf(layout: PutLayout, form: WireForm): Buffer[] {
  const { sample = form.sample } = layout
  const next = layout.puts({ ...form, sample })
  return Array.from({ length: BODIES }, (_, at) => {
    const request = next(at % layout.connections)
    return Buffer.from(request.subarray(request.indexOf('\r\n\r\n') + 4))
  })
}

/** Nanoseconds of processor time for each point. */
async function measure(bodies: readonly Buffer[], read: Read): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage()
    let points = 0
    while (points < POINTS_PER_ROUND) for (const body of bodies) points += await read(body)
    const { user, system } = process.cpuUsage(before)
    best = Math.min(best, ((user + system) * 1_000) / points)
  }
  return best
}

const [names = 'bulk,compact,shuffled,digits,telegraf,remote-write-10,remote-write-1'] =
  process.argv.slice(2)
for (const name of names.split(',')) {
  const all = [...putLayouts, telegrafLayout, ...remoteWriteLayouts]
  const layout = all.find((one) => one.name === name)
  if (layout === undefined) throw new Error(`Unknown layout "${name}"`)
  const isRemoteWrite = remoteWriteLayouts.includes(layout)
  const door = await measure(bodiesOf(layout, lineProtocol), doorRead(isRemoteWrite))
  const hasJson = !isRemoteWrite && layout !== telegrafLayout
  const json = hasJson ? await measure(bodiesOf(layout, weirCalls.putForm), jsonRead()) : undefined
  const beside = json === undefined ? '' : `, JSON ${json.toFixed(0)} ns`
  console.log(`${name}: ${door.toFixed(0)} ns a point${beside}`)
}
