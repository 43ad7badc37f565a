/**
 * The catalog's documents with what is kept of them in memory: every commit of the catalog goes
 * through here, so that cache and index follow before the caller goes on.
 */
import type {
  CatalogDocument,
  CatalogStore,
  CatalogWrite,
  DocumentKey,
  ListQuery,
  StreamHandle,
} from '../store/index.ts'
import { DocumentCache } from './document-cache.ts'
import { unpackComponent, unpackStream } from './index-entry.ts'
import { packedIndexOf } from './packed-index.ts'
import { StreamIndex } from './stream-index.ts'

/** A stream that is gone, as its samples and files must go. */
export interface DeletedStream {
  readonly orgUid: string
  readonly handle: StreamHandle
  /** Its place in VALUE_TYPES. */
  readonly valueCode: number
}

/** Told of deleted streams after the commit; the caller of the delete waits for it. */
export type StreamsDeletedListener = (streams: readonly DeletedStream[]) => void | Promise<void>

/** Bodies of a few hundred bytes each: some megabytes. */
const CACHED_DOCUMENTS_MAX = 20_000
const CHANGES_PER_PAGE = 1_000

export class Documents {
  readonly index = new StreamIndex()
  readonly #store: CatalogStore
  readonly #cache = new DocumentCache(CACHED_DOCUMENTS_MAX)
  readonly #listeners: StreamsDeletedListener[] = []
  #cursor = 0

  constructor(store: CatalogStore) {
    this.#store = store
  }

  onStreamsDeleted(listener: StreamsDeletedListener): void {
    this.#listeners.push(listener)
  }

  /** Fills the index from the store, once, at the start. */
  async load(): Promise<void> {
    const { index } = this
    const components = await this.#store.scanIndex('component', (row) => {
      const { orgUid, uid } = row
      index.putComponent({ orgUid, uid, revision: 0 }, unpackComponent(row.index))
    })
    await this.#store.scanIndex('stream', (row) => {
      const { orgUid, uid, parentUid, handle = 0 } = row
      const document = { orgUid, uid, parentUid, handle, revision: 0 }
      index.putStream(document, unpackStream(row.index))
    })
    this.#cursor = components.cursor
  }

  /** Takes over what other processes have committed since the start or the last call. */
  async refresh(): Promise<void> {
    for (;;) {
      const page = await this.#store.changesSince(this.#cursor, CHANGES_PER_PAGE)
      for (const change of page.changes) await this.#takeOver(change)
      this.#cursor = page.cursor
      if (page.changes.length < CHANGES_PER_PAGE) return
    }
  }

  async get(key: DocumentKey): Promise<CatalogDocument | undefined> {
    const cached = this.#cache.get(key)
    if (cached !== undefined) return cached
    const document = await this.#store.get(key)
    if (document !== undefined) this.#cache.put(document)
    return document
  }

  findByClaim(orgUid: string, claim: string): Promise<CatalogDocument | undefined> {
    return this.#store.findByClaim(orgUid, claim)
  }

  list(query: ListQuery): Promise<{ documents: CatalogDocument[]; totalCount: number }> {
    return this.#store.list(query)
  }

  /** Commits, lets cache and index follow, and tells listeners of streams that are gone. */
  async commit(writes: readonly CatalogWrite[]): Promise<CatalogDocument[]> {
    const documents = await this.#store.commit(writes)
    for (const document of documents) this.#follow(document)
    const deleted = this.#forget(writes.filter(({ op }) => op === 'delete'))
    if (deleted.length > 0) await this.#tell(deleted)
    return documents
  }

  #follow(document: CatalogDocument): void {
    this.#cache.put(document)
    const packed = packedIndexOf(document)
    if (packed === undefined) return
    if (document.kind === 'component') {
      this.index.putComponent(document, unpackComponent(packed))
    } else {
      this.index.putStream({ ...document, handle: document.handle ?? 0 }, unpackStream(packed))
    }
  }

  #forget(keys: readonly DocumentKey[]): DeletedStream[] {
    const deleted: DeletedStream[] = []
    for (const key of keys) this.#cache.delete(key)
    // Components first: they take their streams along in one step.
    for (const { orgUid, uid } of keys.filter(({ kind }) => kind === 'component')) {
      for (const handle of this.index.componentByUid(orgUid, uid)?.streams ?? []) {
        deleted.push({ orgUid, handle, valueCode: this.index.valueCodeOf(handle) })
      }
      this.index.deleteComponent(uid)
    }
    for (const { orgUid, uid } of keys.filter(({ kind }) => kind === 'stream')) {
      const handle = this.index.streamByUid(orgUid, uid)
      if (handle === 0) continue
      deleted.push({ orgUid, handle, valueCode: this.index.valueCodeOf(handle) })
      this.index.deleteStream(uid)
    }
    return deleted
  }

  async #tell(deleted: readonly DeletedStream[]): Promise<void> {
    for (const listener of this.#listeners) await listener(deleted)
  }

  async #takeOver(change: DocumentKey & { isDeleted: boolean }): Promise<void> {
    if (!change.isDeleted) {
      this.#cache.delete(change)
      const document = await this.get(change)
      if (document !== undefined) this.#follow(document)
      return
    }
    // The deleting process has told its listeners; here only memory follows.
    if (change.kind === 'component' || change.kind === 'stream') this.#forget([change])
    else this.#cache.delete(change)
  }
}
