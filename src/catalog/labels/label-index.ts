/**
 * The labels of series, by organization. A table is built when it is first needed, and follows the catalog: commits note
 * which components changed, and the next use of the table reads these again.
 */
import { KeyedMutex, nextIteration, Pacer } from '../../base/index.ts'
import {
  type Labels,
  LOOKBACK_FIELD,
  type StoredStream,
  type StreamHandle,
} from '../../store/index.ts'
import type { CatalogNews } from '../documents/catalog-news.ts'
import type { Documents } from '../documents/documents.ts'
import { VALUE_CODE } from '../shape/value-type.ts'
import { LabelTable } from './label-table.ts'

/** The labels that a series has although its stream does not. */
const NAME_LABEL = '__name__'
const COMPONENT_LABEL = 'component'

/** Types whose values are numbers. */
const NUMERIC: ReadonlySet<number> = new Set([
  VALUE_CODE.DOUBLE,
  VALUE_CODE.FLOAT,
  VALUE_CODE.LONG,
  VALUE_CODE.INTEGER,
  VALUE_CODE.SHORT,
  VALUE_CODE.BOOLEAN,
  VALUE_CODE.LATITUDE,
  VALUE_CODE.LONGITUDE,
  VALUE_CODE.ELEVATION,
  VALUE_CODE.BIG_DECIMAL,
])

/** Memory of all tables together. The table in use stays, whatever it takes. */
const BYTES_MAX = 512 * 1024 * 1024
const STREAMS_PER_PAGE = 500
/** Components that are read again before a new table costs less. */
const CHANGED_MAX = 50_000
/** Replaced and removed series, as a share of all, before a new table is built. */
const DEAD_SHARE = 1 / 4
const DEAD_MIN = 10_000
/** Streams that are added before other calls may run. */
const PER_STEP = 64

/** The labels of an organization, and what is to be read again. */
interface OrganizationLabels {
  table: LabelTable | undefined
  readonly lookbacks: Map<number, number>
  changed: Set<string>
}

/** The series of an organization, as they are when they are asked for. */
interface OrganizationSeries {
  readonly table: LabelTable
  /** The look-back that a stream sets, by its handle. */
  readonly lookbacks: ReadonlyMap<number, number>
}

interface WrittenSeries {
  readonly table: LabelTable
  readonly lookbacks: Map<number, number>
}

/** Builds and keeps the tables of labels. */
export class LabelIndex {
  readonly #documents: Documents
  readonly #mutex = new KeyedMutex<string>()
  /** In the order of use. */
  readonly #organizations = new Map<string, OrganizationLabels>()

  constructor(documents: Documents) {
    this.#documents = documents
    documents.onNews({
      isListening: () => this.#organizations.size > 0,
      note: (news) => this.#note(news),
    })
  }

  /** About the memory of all tables. */
  get bytes(): number {
    let bytes = 0
    for (const { table } of this.#organizations.values()) bytes += table?.bytes ?? 0
    return bytes
  }

  /** The series of an organization with all commits before the call. */
  async seriesOf(orgUid: string): Promise<OrganizationSeries> {
    return await this.#mutex.run([orgUid], async () => {
      const labels = this.#use(orgUid)
      const pacer = new Pacer(PER_STEP)
      if (labels.changed.size > CHANGED_MAX || isWorn(labels.table)) labels.table = undefined
      try {
        if (labels.table === undefined) await this.#build(orgUid, labels, pacer)
        else await this.#readChanged(orgUid, labels, pacer)
      } catch (error) {
        this.#organizations.delete(orgUid)
        throw error
      }
      const table = labels.table ?? new LabelTable()
      await table.settle(new Pacer())
      this.#trim()
      return { table, lookbacks: labels.lookbacks }
    })
  }

  #use(orgUid: string): OrganizationLabels {
    const known = this.#organizations.get(orgUid)
    const labels = known ?? { table: undefined, lookbacks: new Map(), changed: new Set() }
    this.#organizations.delete(orgUid)
    this.#organizations.set(orgUid, labels)
    return labels
  }

  #trim(): void {
    for (const orgUid of this.#organizations.keys()) {
      if (this.#organizations.size === 1 || this.bytes <= BYTES_MAX) return
      this.#organizations.delete(orgUid)
    }
  }

  #note({ orgUid, componentUids }: CatalogNews): void {
    const labels = this.#organizations.get(orgUid)
    if (labels === undefined || labels.changed.size > CHANGED_MAX) return
    for (const uid of componentUids) labels.changed.add(uid)
  }

  async #build(orgUid: string, labels: OrganizationLabels, pacer: Pacer): Promise<void> {
    const { index } = this.#documents
    // What changes from here on is read again.
    labels.changed = new Set()
    labels.lookbacks.clear()
    const table = new LabelTable()
    const added = new Set<number>()
    for (let after: string | undefined; ; ) {
      const page = await this.#documents.walkLabeled({ orgUid, after, limit: STREAMS_PER_PAGE })
      for (const stream of page.streams) {
        if (!index.has(stream.handle)) continue
        this.#put({ table, lookbacks: labels.lookbacks }, stream)
        added.add(stream.handle)
        const waiting = pacer.spend(1)
        if (waiting !== undefined) await waiting
      }
      if (page.next === undefined) break
      after = page.next
      await nextIteration()
    }
    for (const handle of [...index.handlesOf(orgUid)]) {
      if (!added.has(handle) && index.has(handle)) this.#putPlain(table, handle)
      const waiting = pacer.spend(1 / 8)
      if (waiting !== undefined) await waiting
    }
    labels.table = table
    await this.#readChanged(orgUid, labels, pacer)
  }

  async #readChanged(orgUid: string, labels: OrganizationLabels, pacer: Pacer): Promise<void> {
    const { table, lookbacks } = labels
    if (table === undefined) return
    for (const uid of labels.changed) {
      labels.changed.delete(uid)
      await this.#readComponent({ orgUid, uid }, { table, lookbacks }, pacer)
    }
  }

  async #readComponent(
    { orgUid, uid }: { readonly orgUid: string; readonly uid: string },
    series: WrittenSeries,
    pacer: Pacer,
  ): Promise<void> {
    const { index } = this.#documents
    for (let start = 0; ; start += STREAMS_PER_PAGE) {
      const page = { start, limit: STREAMS_PER_PAGE }
      const streams = await this.#documents.streamsOf(orgUid, uid, page)
      for (const stream of streams) {
        if (index.has(stream.handle)) this.#put(series, stream)
        const waiting = pacer.spend(1)
        if (waiting !== undefined) await waiting
      }
      if (streams.length < STREAMS_PER_PAGE) return
    }
  }

  #put({ table, lookbacks }: WrittenSeries, stream: StoredStream): void {
    const { handle, labels = {}, more } = stream
    const lookback = more[LOOKBACK_FIELD]
    if (typeof lookback === 'number') lookbacks.set(handle, lookback)
    else lookbacks.delete(handle)
    if (!NUMERIC.has(this.#documents.index.valueCodeOf(handle))) table.remove(handle)
    else if (NAME_LABEL in labels) table.put(handle, labels)
    else table.put(handle, { ...this.#ownLabels(handle), ...labels })
  }

  #putPlain(table: LabelTable, handle: StreamHandle): void {
    if (!NUMERIC.has(this.#documents.index.valueCodeOf(handle))) return
    table.put(handle, this.#ownLabels(handle))
  }

  /** The labels of a stream by its place in the catalog. */
  #ownLabels(handle: StreamHandle): Labels {
    const { index } = this.#documents
    const { compId, uid } = index.componentOf(handle)
    return {
      [COMPONENT_LABEL]: compId || uid,
      [NAME_LABEL]: index.streamIdOf(handle) || index.streamUid(handle),
    }
  }
}

/** Whether a table holds much that is no longer there. */
function isWorn(table: LabelTable | undefined): boolean {
  if (table === undefined) return false
  return table.deadCount > Math.max(DEAD_MIN, table.count * DEAD_SHARE)
}
