/**
 * `npm run bench:catalog`: a million streams in the catalog, in three layouts, and what a fresh process
 * needs to open them. Nothing here is a test: figures depend on the machine.
 */
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { newComponentUid } from '../src/base/index.ts'
import type { WantedComponent } from '../src/catalog/create/index.ts'
import { openCatalog, type People } from '../src/catalog/index.ts'
import { openCatalogStore } from '../src/store/embedded/index.ts'
import type { CreateComponents, Labels } from '../src/store/index.ts'

const STREAMS = Number(process.env.BENCH_STREAMS ?? 1_000_000)
const STREAMS_PER_COMMIT = 10_000
const LAYOUTS = [
  { perComponent: 100, isLabelled: false },
  { perComponent: 100, isLabelled: true },
  { perComponent: 1, isLabelled: false },
]
const NUMBERS: CreateComponents['definitions'][number] = {
  streamKind: 0,
  valueCode: 1,
  isDerived: false,
  hasDeleteProfile: false,
  grid: '',
  more: {},
}
const ORG = randomUUID()
const people: People = {
  ownerOf: async () => ({ uid: ORG, name: 'bench', timeZoneId: 'UTC' }),
  nameOf: async () => 'bench',
}

function componentOf(number: number, streamCount: number): WantedComponent {
  const streams = Array.from({ length: streamCount }, (_, index) => ({
    streamId: `stream-${index}`,
    valueType: 'DOUBLE' as const,
  }))
  return { compId: `component-${String(number).padStart(7, '0')}`, rules: {}, streams }
}

/** What Telegraf says of a figure of a CPU: a component is a host. */
function labelsOf(host: number, cpu: number): Labels {
  return {
    host: `host-${host}.example.com`,
    region: `region-${host % 5}`,
    datacenter: `datacenter-${host % 20}`,
    rack: `rack-${host % 400}`,
    os: `os-${host % 3}`,
    cpu: `cpu-${cpu}`,
  }
}

/** Components from a number on whose streams have six labels each, which are their series too. */
function labelled(first: number, count: number, perComponent: number): CreateComponents {
  const uids = Array.from({ length: count }, newComponentUid)
  const places = Array.from({ length: count * perComponent }, (_, at) => at % perComponent)
  const labels = places.map((place, at) => labelsOf(first + Math.floor(at / perComponent), place))
  return {
    op: 'create',
    kind: 'component',
    orgUid: ORG,
    uid: uids[0],
    expectedRevision: 0,
    uids,
    ids: uids.map((_, at) => `component-${String(first + at).padStart(7, '0')}`),
    common: {
      folder: '',
      timeZone: 'UTC',
      createdAtMs: Date.now(),
      owner: { uid: ORG, name: 'bench' },
      more: {},
    },
    streamCounts: uids.map(() => perComponent),
    streamIds: places.map((place) => `stream-${place}`),
    labels,
    series: labels,
    definitions: [NUMBERS],
    definitionOf: places.map(() => 0),
  }
}

async function buildLabelled(folder: string, perComponent: number): Promise<number> {
  const startedAt = performance.now()
  const store = await openCatalogStore({ folder })
  const perCommit = STREAMS_PER_COMMIT / perComponent
  for (let first = 0; first < STREAMS / perComponent; first += perCommit) {
    await store.commit([labelled(first, perCommit, perComponent)])
  }
  await store.close()
  return performance.now() - startedAt
}

async function build(folder: string, streamsPerComponent: number): Promise<number> {
  const startedAt = performance.now()
  const store = await openCatalogStore({ folder })
  const catalog = await openCatalog({ store, people })
  const components = STREAMS / streamsPerComponent
  const perCommit = Math.max(1, STREAMS_PER_COMMIT / streamsPerComponent)
  for (let first = 0; first < components; first += perCommit) {
    const count = Math.min(perCommit, components - first)
    const wanted = Array.from({ length: count }, (_, index) =>
      componentOf(first + index, streamsPerComponent),
    )
    await catalog.autoCreate(ORG, wanted)
  }
  await store.close()
  return performance.now() - startedAt
}

async function openOnce(folder: string): Promise<void> {
  const store = await openCatalogStore({ folder })
  const catalog = await openCatalog({ store, people })
  const sinceStartMs = performance.now()
  const { user, system } = process.cpuUsage()
  const cpuMs = (user + system) / 1000
  const { index } = catalog
  globalThis.gc?.()
  const settledMib = process.memoryUsage().rss / 2 ** 20
  const peakMib = process.resourceUsage().maxRSS / 1024
  const figures = { sinceStartMs, cpuMs, settledMib, peakMib, streams: index.streamCount }
  console.log(JSON.stringify({ ...figures, components: index.componentCount }))
  await store.close()
}

interface Figures {
  readonly sinceStartMs: number
  readonly cpuMs: number
  readonly settledMib: number
  readonly peakMib: number
}

function measure(folder: string): Figures {
  const args = ['--expose-gc', fileURLToPath(import.meta.url), 'open', folder]
  const { stdout, status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  const figures = JSON.parse(stdout)
  if (figures.streams !== STREAMS) throw new Error(`only ${figures.streams} streams were loaded`)
  return figures
}

async function run(): Promise<void> {
  console.log(`${STREAMS} streams, Node ${process.version}, ${cpus()[0].model} x ${cpus().length}`)
  console.log(
    '| layout | build s | catalog.db MB | start s | start CPU s | RSS at start MiB | RSS settled MiB |',
  )
  console.log('|---|---|---|---|---|---|---|')
  for (const { perComponent, isLabelled } of LAYOUTS) {
    const folder = mkdtempSync(join(tmpdir(), 'weir-bench-catalog-'))
    try {
      const buildMs = await (isLabelled ? buildLabelled : build)(folder, perComponent)
      const megabytes = statSync(join(folder, 'catalog.db')).size / 1e6
      const median = [measure(folder), measure(folder), measure(folder)].sort(
        (a, b) => a.sinceStartMs - b.sinceStartMs,
      )[1]
      const cells = [
        `${STREAMS / perComponent} components of ${perComponent}${isLabelled ? ', six labels a stream' : ''}`,
        (buildMs / 1000).toFixed(1),
        megabytes.toFixed(0),
        (median.sinceStartMs / 1000).toFixed(2),
        (median.cpuMs / 1000).toFixed(2),
        median.peakMib.toFixed(0),
        median.settledMib.toFixed(0),
      ]
      console.log(`| ${cells.join(' | ')} |`)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

if (process.argv[2] === 'open') await openOnce(process.argv[3])
else await run()
