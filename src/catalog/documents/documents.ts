/**
 * The catalog's documents with what is kept of them in memory: every commit of the catalog goes
 * through here, so that cache and index follow before the caller goes on.
 */
import { type Clock, invariant, newUid, nextTurn, Refusal, systemClock } from '../../base/index.ts'
import {
  type CatalogChange,
  type CatalogConflict,
  CatalogDamaged,
  type CatalogDocument,
  type CatalogStore,
  type CatalogWrite,
  type DocumentKey,
  type ListQuery,
  type PutDocument,
  type PutFleet,
  type StreamHandle,
  type WalkQuery,
} from '../../store/index.ts'
import { DerivationEdges } from '../derived/derivation-edges.ts'
import { componentEntryOf, streamEntryOf } from '../index/entry-of.ts'
import { streamUnpacker, unpackComponent } from '../index/index-entry.ts'
import { StreamIndex } from '../index/stream-index.ts'
import { componentBodyOf } from '../shape/component-shape.ts'
import { streamBodyOf } from '../shape/stream-shape.ts'
import { type CatalogListener, CatalogNewsTeller } from './catalog-news.ts'
import { CatchUps } from './catch-ups.ts'
import { changesPlace } from './changed-places.ts'
import { DocumentCache } from './document-cache.ts'
import { followFleet } from './follow-fleet.ts'
import { withoutRepeatedUses } from './record-uses.ts'

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
/** Documents taken over before others get a turn: about a millisecond. */
const DOCUMENTS_PER_STEP = 500
/** The kind of documents that tell of deleted streams whose samples may still be there. */
const NOTICE = 'deleted_streams'
const NOTICES_PER_PAGE = 100
const DELETE_PROFILE = 'delete_profile'
/** Documents that are read at once for the index. */
const READ_AT_ONCE = 32

export class Documents {
  #index = new StreamIndex()
  readonly #store: CatalogStore
  readonly #cache = new DocumentCache(CACHED_DOCUMENTS_MAX)
  readonly #listeners: StreamsDeletedListener[] = []
  readonly #news = new CatalogNewsTeller()
  readonly #unpackStream = streamUnpacker()
  /** Which streams are derived from which. */
  readonly edges = new DerivationEdges()
  /** Commits whose documents cache and index do not have all yet; as many as calls run. */
  readonly #running = new Set<Promise<unknown>>()
  #cursor = 0
  /** When memory takes over what other processes have committed. */
  readonly catchUps: CatchUps

  constructor(
    store: CatalogStore,
    { clock = systemClock, isShared = false }: { clock?: Clock; isShared?: boolean } = {},
  ) {
    this.#store = store
    this.catchUps = new CatchUps({ clock, isShared, run: () => this.#refresh() })
  }

  /** Components and streams as far as every call needs them; asked for after load(). */
  get index(): StreamIndex {
    return this.#index
  }

  onStreamsDeleted(listener: StreamsDeletedListener): void {
    this.#listeners.push(listener)
  }

  onNews(listener: CatalogListener): void {
    this.#news.add(listener)
  }

  /** Fills the index from the store, once, at the start. */
  async load(): Promise<void> {
    const index = this.#index
    const { cursor, isWhole, lost } = await this.#store.scanIndex(['component', 'stream'], {
      onRow: (row) => {
        if (row.kind === 'component') index.loadComponent(row, unpackComponent(row.index))
        else index.loadStream(row, row.handle ?? 0, this.#unpackStream(row.index))
      },
      onPacked: (row) => index.loadPacked(row),
      onCount: (kind, count) =>
        index.reserve(kind === 'component' ? { components: count } : { streams: count }),
    })
    index.settle()
    this.#cursor = cursor
    if (!isWhole) await this.#derive()
    this.#index.noteLost(lost)
    await this.#loadEdges()
  }

  /** Reads the streams that are derived by expressions: few have formulas, and the index does not hold these. */
  async #loadEdges(): Promise<void> {
    let looked = 0
    for (const handle of this.#index.handlesDerived()) {
      looked += 1
      if (looked % DOCUMENTS_PER_STEP === 0) await nextTurn()
      const { orgUid } = this.#index.componentOf(handle)
      const key = { orgUid, kind: 'stream', uid: this.#index.streamUid(handle) }
      const document = await this.#store.get(key).catch(unlessDamaged)
      if (document !== undefined) this.edges.note(document)
    }
    this.edges.settle(this.#index, true)
  }

  /** Fills the index from the documents themselves, as what is kept of them beside is damaged. */
  async #derive(): Promise<void> {
    this.#index = new StreamIndex()
    for (const kind of ['component', 'stream']) {
      await this.#store.scanDocuments(kind, (document) => this.#follow(document))
    }
  }

  /** Takes over what other processes have committed before the call. */
  refresh(): Promise<void> {
    return this.catchUps.refresh()
  }

  async #refresh(): Promise<number> {
    for (let taken = 0; ; ) {
      const page = await this.#store.changesSince(this.#cursor, CHANGES_PER_PAGE)
      const isGap = (page.changes[0]?.cursor ?? 0) > this.#cursor + 1
      if (isGap) throw new Error(`Cannot catch up: changes after ${this.#cursor} are not kept`)
      // What this process has put is followed; what it has deleted may have been read meanwhile.
      const changes = page.changes.filter(({ isOwn, isDeleted }) => isOwn !== true || isDeleted)
      for (let at = 0; at < changes.length; at += READ_AT_ONCE) {
        await this.#takeOver(changes.slice(at, at + READ_AT_ONCE))
      }
      this.edges.settle(this.#index, this.#running.size === 0)
      this.#cursor = page.cursor
      taken += changes.length
      if (page.changes.length < CHANGES_PER_PAGE) return taken
    }
  }

  async get(key: DocumentKey): Promise<CatalogDocument | undefined> {
    const cached = this.#cache.get(key)
    if (cached !== undefined) return cached
    const { generation } = this.#cache
    const document = await this.#store.get(key)
    // One that was forgotten meanwhile may be another by now.
    if (document !== undefined && generation === this.#cache.generation) this.#cache.put(document)
    return document
  }

  /** As get, for walks over many documents, which would drive the others out of memory. */
  async getOnce(key: DocumentKey): Promise<CatalogDocument | undefined> {
    return this.#cache.get(key) ?? (await this.#store.get(key))
  }

  findByClaim(orgUid: string, claim: string): Promise<CatalogDocument | undefined> {
    return this.#store.findByClaim(orgUid, claim)
  }

  list(query: ListQuery): Promise<{ documents: CatalogDocument[]; totalCount: number }> {
    return this.#store.list(query)
  }

  walk(query: WalkQuery): Promise<{ documents: CatalogDocument[]; next?: string }> {
    return this.#store.walk(query)
  }

  /**
   * Commits, lets cache and index follow, and tells listeners of streams that are gone. A notice of
   * these is committed along and stays until the listeners are done, so that a crash in between
   * leaves no samples behind for good. `entries` are what the audit log says of the writes: see planChange.
   */
  async commit(
    wanted: readonly CatalogWrite[],
    entries: readonly PutDocument[],
  ): Promise<CatalogDocument[]> {
    const writes = withoutRepeatedUses(wanted)
    const doomed = this.#doomedBy(writes)
    const notice = doomed.length === 0 ? undefined : noticeOrder(doomed)
    const tellNews = this.#news.gather(writes, this.index)
    const mustBeHeard = this.catchUps.isShared && writes.some((write) => this.#mustBeHeard(write))
    const along = notice === undefined ? entries : [...entries, notice]
    const following = this.#commitAndFollow(writes, along)
    this.#running.add(following)
    const documents = await following.finally(() => this.#running.delete(following))
    tellNews()
    // What others have put before they heard of it goes along; later they put nothing any more.
    if (notice !== undefined || mustBeHeard) await this.catchUps.heard()
    if (notice !== undefined) await this.#carryOut(notice.uid, doomed)
    return documents
  }

  /** Whether what others do without knowing of a write would go wrong for good: it is answered when they know. */
  #mustBeHeard(write: CatalogWrite): boolean {
    return isFormula(write) || changesPlace(write, this.index)
  }

  /** Commits a fleet and lets the index follow; the handle of its first stream. */
  async commitFleet(fleet: PutFleet): Promise<StreamHandle> {
    const following = this.#commitAndFollowFleet(fleet)
    this.#running.add(following)
    return await following.finally(() => this.#running.delete(following))
  }

  async #commitAndFollowFleet(fleet: PutFleet): Promise<StreamHandle> {
    const [{ handle }] = await this.#store.commit([fleet])
    invariant(handle !== undefined, 'a fleet has a stream')
    await followFleet(this.#index, fleet, handle)
    this.#news.tellFleet(fleet, this.#index)
    return handle
  }

  /** Waits until cache and index have all that was committed before this call, by any process. */
  async followed(): Promise<void> {
    await Promise.allSettled(this.#running)
    if (this.catchUps.isShared) await this.refresh()
  }

  async #commitAndFollow(
    writes: readonly CatalogWrite[],
    along: readonly PutDocument[],
  ): Promise<CatalogDocument[]> {
    const committed = await this.#store.commit(along.length === 0 ? writes : [...writes, ...along])
    // Nobody asks the catalog for what goes along.
    const documents = committed.slice(0, committed.length - along.length)
    let at = 0
    for (const write of writes) {
      if (write.op !== 'put') continue
      const document = documents[at++]
      if (at % DOCUMENTS_PER_STEP === 0) await nextTurn()
      // What was just made is rarely asked for; a fleet that signs on would push all else out.
      if (document.revision > 1 || !this.#followMade(document, write.index)) this.#follow(document)
    }
    this.#forget(writes.filter(({ op }) => op === 'delete'))
    // This commit is among those that run.
    this.edges.settle(this.#index, this.#running.size <= 1)
    return documents
  }

  /** Tells the listeners of deleted streams of which a crash or failure kept it from them. */
  async resumeDeletions(): Promise<void> {
    for (;;) {
      const query = { orgUid: '', kind: NOTICE, start: 0, limit: NOTICES_PER_PAGE }
      const { documents } = await this.#store.list(query)
      for (const { uid, body } of documents) {
        const streams = body.streams as unknown as DeletedStream[]
        if (!(await this.#carryOut(uid, streams))) return
      }
      if (documents.length === 0) return
    }
  }

  /** Reads anew what another process wrote and a commit of ours ran into. */
  async catchUp({ key, claim }: CatalogConflict): Promise<void> {
    this.#cache.delete(key)
    const holder =
      claim === undefined
        ? await this.#store.get(key)
        : await this.#store.findByClaim(key.orgUid, claim)
    if (holder === undefined) {
      if (claim === undefined) this.#forget([key])
      return
    }
    this.#follow(holder)
    this.edges.settle(this.#index, this.#running.size === 0)
    // Whoever changed the component may have given its next streams UIDs that we would give too.
    if (holder.kind === 'component') await this.#learnStreams(holder)
  }

  #follow(document: CatalogDocument): void {
    this.#cache.put(document)
    if (document.kind === DELETE_PROFILE) this.index.noteDeleteProfiles()
    this.#followInIndex(document)
  }

  /** As followInIndex, for a document that was just made: what the index needs of it is at hand. */
  #followMade(document: CatalogDocument, index = ''): boolean {
    if (document.kind === 'component') {
      this.index.putComponent(document, unpackComponent(index))
      return true
    }
    if (document.kind !== 'stream') return false
    const { handle = 0 } = document
    const { uid, orgUid, parentUid, revision } = document
    const place = { uid, orgUid, parentUid, revision, handle }
    this.index.putStream(place, this.#unpackStream(index))
    this.edges.note(document)
    return true
  }

  /** Lets the index follow; false for a kind that is not in it. */
  #followInIndex(document: CatalogDocument): boolean {
    if (document.kind === 'component') {
      this.index.putComponent(document, componentEntryOf(componentBodyOf(document)))
      return true
    }
    if (document.kind !== 'stream') return false
    const { uid, orgUid, parentUid, revision, handle = 0 } = document
    const entry = streamEntryOf(streamBodyOf(document))
    this.index.putStream({ uid, orgUid, parentUid, revision, handle }, entry)
    this.edges.note(document)
    return true
  }

  async #learnStreams({ orgUid, uid }: DocumentKey): Promise<void> {
    const query = { orgUid, kind: 'stream', parentUid: uid, limit: CHANGES_PER_PAGE }
    for (let start = 0; ; start += CHANGES_PER_PAGE) {
      const { documents } = await this.#store.list({ ...query, start })
      for (const document of documents) this.#follow(document)
      this.edges.settle(this.#index, this.#running.size === 0)
      if (documents.length < CHANGES_PER_PAGE) return
    }
  }

  #doomedBy(writes: readonly CatalogWrite[]): DeletedStream[] {
    return writes.flatMap(({ op, kind, orgUid, uid }) => {
      const handle = op === 'delete' && kind === 'stream' ? this.index.streamByUid(orgUid, uid) : 0
      if (handle === 0) return []
      return [{ orgUid, handle, valueCode: this.index.valueCodeOf(handle) }]
    })
  }

  #forget(keys: readonly DocumentKey[]): void {
    for (const key of keys) this.#cache.delete(key)
    if (keys.some(({ kind }) => kind === DELETE_PROFILE)) this.index.noteDeleteProfiles()
    // Components first: they take their streams along in one step.
    for (const { kind, uid } of keys) {
      if (kind !== 'component') continue
      for (const handle of this.index.deleteComponent(uid)) this.edges.delete(handle)
    }
    for (const { kind, uid } of keys) {
      const handle = kind === 'stream' ? this.index.deleteStream(uid) : 0
      if (handle !== 0) this.edges.delete(handle)
    }
  }

  /**
   * Tells listeners and takes the notice away. Where a full disk keeps it, false: the deletion is done
   * all the same, and the next start does it once more, which changes nothing.
   */
  async #carryOut(noticeUid: string, deleted: readonly DeletedStream[]): Promise<boolean> {
    for (const listener of this.#listeners) await listener(deleted)
    const key = { orgUid: '', kind: NOTICE, uid: noticeUid }
    try {
      await this.#store.commit([{ op: 'delete', ...key, expectedRevision: 'any' }])
    } catch (error) {
      if (!(error instanceof Refusal && error.code === 'read_only')) throw error
      return false
    }
    return true
  }

  /** Lets memory follow some changes, in their order; documents are read only for the index. */
  async #takeOver(changes: readonly CatalogChange[]): Promise<void> {
    for (const change of changes) this.#cache.delete(change)
    const read = await Promise.all(
      changes.map((change) =>
        change.isDeleted || !isIndexed(change) ? undefined : this.#store.get(change),
      ),
    )
    for (const [at, change] of changes.entries()) {
      // The deleting process has told its listeners; here only memory follows.
      const tellNews = this.#news.gather([change], this.index)
      const document = read[at]
      if (change.isDeleted) this.#forget([change])
      else if (document !== undefined) this.#follow(document)
      else if (change.kind === DELETE_PROFILE) this.index.noteDeleteProfiles()
      tellNews()
    }
  }
}

/** Whether a write says how a stream is derived: what its sources are put from then on counts for it. */
function isFormula(write: CatalogWrite): boolean {
  return write.op === 'put' && write.kind === 'stream' && (write.body.derivation ?? null) !== null
}

function isIndexed({ kind }: DocumentKey): boolean {
  return kind === 'component' || kind === 'stream'
}

/** What cannot be read is told wherever it is asked for. */
function unlessDamaged(error: unknown): undefined {
  if (!(error instanceof CatalogDamaged)) throw error
}

function noticeOrder(deleted: readonly DeletedStream[]): PutDocument {
  const streams = deleted.map(({ orgUid, handle, valueCode }) => ({ orgUid, handle, valueCode }))
  const key = { orgUid: '', kind: NOTICE, uid: newUid() }
  return { op: 'put', ...key, body: { streams }, mayUseReserve: true, expectedRevision: 0 }
}
