/** The reads of components and streams that the main thread does over its own connection. */
import { DatabaseSync } from 'node:sqlite'
import { nextIteration } from '../../../../base/index.ts'
import { addressClaim } from '../../../fields/unique-texts.ts'
import { CatalogDamaged } from '../../../ports/catalog-port.ts'
import type {
  ComponentList,
  ComponentReads,
  IndexReceiver,
  LabeledPage,
  LabeledWalk,
  Labels,
  LostComponents,
  StoredComponent,
  StoredStream,
} from '../../../ports/component-port.ts'
import type { DocumentKey } from '../../../ports/document-key.ts'
import { damageOf } from '../../damage/folder-damaged.ts'
import { readChecked } from '../catalog-checks.ts'
import { CatalogReadTable } from '../catalog-read-table.ts'
import { ComponentLists } from './component-lists.ts'
import { ComponentReader } from './component-reader.ts'
import { IndexScan } from './component-scan.ts'
import { LabeledStreams } from './labeled-streams.ts'
import { LostRows } from './lost-components.ts'
import { StreamReader } from './stream-reader.ts'

/** Pages of catalog.db that a scan keeps: each is read once. */
const SCAN_CACHE_KIB = 1_000

/** What the store gives to its parts. */
interface StoreParts {
  readonly db: DatabaseSync
  readonly file: string
  readonly table: CatalogReadTable
  /** Runs a read in one snapshot, and reports damage. */
  reporting<T>(read: () => T): T
  onDamage(what: string): void
}

export class EmbeddedComponents implements ComponentReads {
  readonly #parts: StoreParts
  readonly #components: ComponentReader
  readonly #streams: StreamReader
  readonly #labeled: LabeledStreams
  readonly #lists: ComponentLists

  constructor(parts: StoreParts) {
    const { db, table } = parts
    const { scopes, texts } = table
    this.#parts = parts
    this.#components = new ComponentReader(db, scopes, texts)
    this.#streams = new StreamReader(db, { components: this.#components, scopes, texts })
    this.#labeled = new LabeledStreams(db, this.#components, texts)
    this.#lists = new ComponentLists(db, scopes, this.#components)
  }

  async get(orgUid: string, uid: string): Promise<StoredComponent | undefined> {
    return this.#read(`component ${uid}`, orgUid, (scope) => this.#components.find(scope, uid))
      ?.component
  }

  async getStream(orgUid: string, uid: string): Promise<StoredStream | undefined> {
    return this.#read(`stream ${uid}`, orgUid, (scope) => this.#streams.find(scope, uid))?.stream
  }

  async findById(orgUid: string, id: string): Promise<StoredComponent | undefined> {
    return this.#read('a component by its ID', orgUid, (scope) =>
      this.#components.findById(scope, id),
    )?.component
  }

  async findAddressed(
    orgUid: string,
    addresses: readonly string[],
  ): Promise<(StoredComponent | undefined)[]> {
    const keyOf = (ref: number): DocumentKey | undefined => this.#components.findRef(ref)?.component
    const found = this.#read('components by their addresses', orgUid, (scope) => {
      const claims = addresses.map(addressClaim)
      const refs = this.#parts.table.selectClaimed(scope, claims, keyOf)
      const owned = this.#components.findOwned(scope, addresses)
      return addresses.map((_, at) => {
        const ref = refs.get(at)
        return ref === undefined ? owned.get(at) : this.#components.findRef(ref)?.component
      })
    })
    return found ?? addresses.map(() => undefined)
  }

  async findSeries(
    orgUid: string,
    series: readonly Labels[],
  ): Promise<(StoredStream | undefined)[]> {
    const found = this.#read('streams by their series', orgUid, (scope) =>
      this.#streams.findEach(scope, series),
    )
    return found ?? series.map(() => undefined)
  }

  async streamsOf(
    orgUid: string,
    componentUid: string,
    page: { readonly start: number; readonly limit: number },
  ): Promise<StoredStream[]> {
    const streams = this.#read(`the streams of component ${componentUid}`, orgUid, (scope) => {
      const owner = this.#streams.ownerOf(scope, componentUid)
      return owner && this.#streams.page(owner, page)
    })
    return streams ?? []
  }

  async walkLabeled(walk: LabeledWalk): Promise<LabeledPage> {
    const page = this.#read('the streams with labels', walk.orgUid, (scope) =>
      this.#labeled.step(scope, walk, (what) => this.#parts.onDamage(what)),
    )
    return page ?? { streams: [] }
  }

  async list(query: ComponentList): Promise<{ components: StoredComponent[]; totalCount: number }> {
    const page = this.#read('the list of components', query.orgUid, (scope) => {
      let leftOut = 0
      const components = this.#lists.selectPage(scope, query, (what) => {
        leftOut += 1
        this.#parts.onDamage(what)
      })
      const isWhole = !query.isDirect && !query.folder && !query.exceptUids?.length
      const asked = { kind: 'component', start: query.start, limit: query.limit }
      const totalCount = isWhole
        ? this.#parts.table.totalOf(scope, asked, components.length + leftOut)
        : this.#lists.count(scope, query)
      return { components, totalCount }
    })
    return page ?? { components: [], totalCount: 0 }
  }

  async walk(query: {
    readonly orgUid: string
    readonly after?: string
    readonly limit: number
  }): Promise<{ components: StoredComponent[]; next?: string }> {
    const step = this.#read('the list of components', query.orgUid, (scope) =>
      this.#lists.step(scope, query, (what) => this.#parts.onDamage(what)),
    )
    return step ?? { components: [] }
  }

  /** Over a connection of its own, which sees the catalog as it was when the scan began. */
  async scan(receiver: IndexReceiver): Promise<{ cursor: number; lost?: LostComponents }> {
    const { file, onDamage } = this.#parts
    using db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
    try {
      db.exec(`PRAGMA cache_size = -${SCAN_CACHE_KIB}; BEGIN`)
      const table = new CatalogReadTable(db, onDamage)
      const cursor = table.selectCursor()
      const counts = {
        components: table.selectCount('component'),
        streams: table.selectCount('stream'),
      }
      receiver.onCount(counts)
      const lost = new LostRows(this.#parts.table.scopes)
      const scan = new IndexScan(db, table.scopes, table.texts, {
        onComponents: (components) => receiver.onComponents(components),
        onStreams: (streams) => receiver.onStreams(streams),
        onDamagedComponents: (count, refs) => onDamage(lost.addComponents(count, refs)),
        onDamagedStreams: (components) => onDamage(lost.addStreams(components)),
        onUnreadable: (what) => {
          onDamage(what)
          lost.addAll(what)
        },
      })
      while (scan.step()) await nextIteration()
      for (const [kind, expected] of Object.entries(counts)) {
        const missing = expected - scan.read[kind as keyof typeof counts]
        if (missing <= 0) continue
        const what = `${missing} ${kind} are missing`
        onDamage(what)
        lost.addAll(what)
      }
      if (lost.isEmpty) return { cursor }
      lost.learnNames(db)
      return { cursor, lost }
    } catch (error) {
      // A start that fails here names the database.
      if (error instanceof CatalogDamaged) throw error
      throw damageOf(error, file) ?? error
    }
  }

  #read<T>(what: string, orgUid: string, read: (scope: number) => T | undefined): T | undefined {
    return this.#parts.reporting(() =>
      readChecked(what, () => {
        const scope = this.#parts.table.scopes.find(orgUid)
        return scope === undefined ? undefined : read(scope)
      }),
    )
  }
}
