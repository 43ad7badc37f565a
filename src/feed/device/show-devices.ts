import { allows, type Principal } from '../../access/index.ts'
import { nextIteration } from '../../base/index.ts'
import type { Catalog, ComponentEntry } from '../../catalog/index.ts'
import type { ComponentRecord } from '../../catalog/shape/index.ts'
import { CatalogDamaged, type Sample, type StreamHandle } from '../../store/index.ts'
import { allowsStream } from '../feed-rights.ts'
import { showSeries } from '../get/get-feed.ts'
import { oneSample } from '../get/read-samples.ts'
import { sparkEdges, sparkOf } from '../plot/get-sparks.ts'
import { baseCycleOf } from '../stream-facts.ts'
import { formatValue } from '../value/unit-format.ts'
import type { DeviceDeps } from './device-deps.ts'
import type { Device, DeviceQuery, MainValue } from './device-query.ts'

/** Rows that are read at once: a cluster answers many as quickly as one. */
const ROWS_AT_ONCE = 32

/** Characters of a text that a row shows. */
const SHOWN_TEXT_MAX = 200

const DAY_MS = 86_400_000

/** A device on its way into the answer. */
interface Row {
  readonly record: ComponentRecord
  readonly entry: ComponentEntry
  readonly main: StreamHandle | undefined
}

/** The rows of some devices. What is deleted or damaged is left out. */
export async function showDevices(
  deps: DeviceDeps,
  principal: Principal,
  uids: readonly string[],
  query: DeviceQuery,
): Promise<Device[]> {
  const mains = new MainStreams(deps.catalog, principal)
  const devices: Device[] = []
  for (let from = 0; from < uids.length; from += ROWS_AT_ONCE) {
    const some = uids.slice(from, from + ROWS_AT_ONCE)
    const rows = (await Promise.all(some.map((uid) => readRow(deps.catalog, mains, uid)))).flat()
    const handles = rows.flatMap(({ main }) => main ?? [])
    const latest = await deps.store.latest(handles, { memory: deps.memory })
    const samples = new Map(handles.map((handle, place) => [handle, latest[place]]))
    const shown = rows.map((row) => showRow(deps, row, { query, samples }))
    devices.push(...(await Promise.all(shown)))
    // What is kept of the texts is short.
    await deps.memory?.resize(0)
    await nextIteration()
  }
  return devices

  async function readRow(catalog: Catalog, streams: MainStreams, uid: string): Promise<Row[]> {
    const { orgUid } = principal
    try {
      const record = await catalog.describeComponent(orgUid, uid)
      const entry = catalog.index.componentByUid(orgUid, uid)
      if (record === undefined || entry === undefined) return []
      return [{ record, entry, main: await streams.of(record, entry) }]
    } catch (error) {
      if (error instanceof CatalogDamaged) return []
      throw error
    }
  }
}

/** Finds the stream that stands for a device. */
class MainStreams {
  readonly #catalog: Catalog
  readonly #principal: Principal
  readonly #ofTemplates = new Map<string, Promise<string>>()

  constructor(catalog: Catalog, principal: Principal) {
    this.#catalog = catalog
    this.#principal = principal
  }

  /** The stream that the component marks, or its template, or the first; as far as the caller may see it. */
  async of(
    { mainStream, template = '' }: ComponentRecord,
    entry: ComponentEntry,
  ): Promise<StreamHandle | undefined> {
    const { streams } = entry
    const marked = mainStream || (template === '' ? '' : await this.#ofTemplate(template))
    const found = marked === '' ? undefined : this.#find(entry, marked)
    if (found !== undefined && this.#maySee(found)) return found
    return streams.find((handle) => this.#maySee(handle))
  }

  #find(entry: ComponentEntry, marked: string): StreamHandle | undefined {
    const { index } = this.#catalog
    const byId = index.resolveStream(entry, marked)
    if (byId !== 0) return byId
    const byUid = index.streamByUid(entry.orgUid, marked)
    return byUid !== 0 && index.componentRefOf(byUid) === entry.ref ? byUid : undefined
  }

  #maySee(handle: StreamHandle): boolean {
    const { index } = this.#catalog
    if (!index.has(handle)) return false
    const resource = `component/${index.componentOf(handle).uid}/stream/${index.streamUid(handle)}`
    return (
      allows(this.#principal, resource, 'GET') &&
      allowsStream(index, this.#principal, handle, 'GET')
    )
  }

  #ofTemplate(id: string): Promise<string> {
    return this.#ofTemplates.getOrInsertComputed(id, async () => {
      const template = await this.#catalog.templates.findById(this.#principal.orgUid, id)
      return template?.mainStream ?? ''
    })
  }
}

async function showRow(
  deps: DeviceDeps,
  { record, entry, main }: Row,
  at: {
    readonly query: DeviceQuery
    readonly samples: ReadonlyMap<StreamHandle, Sample | undefined>
  },
): Promise<Device> {
  const { query, samples } = at
  const { now } = deps
  const { uid, id, name, folder, template = '' } = record
  const contact = deps.catalog.index.contacts.of(entry.ref)
  const device = {
    uid,
    id,
    name,
    folder,
    template,
    lastContact: contact === 0 ? null : contact,
    silent: now - contact > query.silentForMs,
    mainValue: main === undefined ? null : await showMain(deps, main, samples.get(main)),
  }
  if (main === undefined || query.sparkPoints === 0) return device
  const edges = sparkEdges({ from: now - DAY_MS, until: now, points: query.sparkPoints })
  const means = await sparkOf({ index: deps.catalog.index, store: deps.store }, main, edges)
  if (means === undefined) return device
  return { ...device, spark: Array.from(means, (mean) => (Number.isNaN(mean) ? null : mean)) }
}

async function showMain(
  deps: DeviceDeps,
  handle: StreamHandle,
  sample: Sample | undefined,
): Promise<MainValue | null> {
  const { catalog } = deps
  const { index } = catalog
  const stream = await catalog.describeStream(handle)
  // It was deleted meanwhile.
  if (stream === undefined || !index.has(handle)) return null
  const { uid: streamUid, id: streamId, name: streamName } = stream
  const unit = stream.unit === null ? undefined : await catalog.unitOf(handle)
  const about = { streamUid, streamId, streamName, unit: unit?.symbol ?? '' }
  if (sample === undefined) return { ...about, time: null, data: null, fData: '' }
  const samples = oneSample(sample, baseCycleOf(index, handle))
  const { compId } = index.componentOf(handle)
  const { texts, numbers, isBoolean, isDecimal } = await showSeries(
    deps,
    { compId, handle, samples },
    { fields: { compId: false, streamId: false, fData: true, unit: true, sdTime: false } },
  )
  const text = texts?.[0]?.slice(0, SHOWN_TEXT_MAX)
  const value = text ?? numbers[0]
  return {
    ...about,
    time: sample.time,
    data: text === undefined && isBoolean ? numbers[0] !== 0 : value,
    fData: formatValue(value, { isBoolean, isDecimal, unit }),
  }
}
