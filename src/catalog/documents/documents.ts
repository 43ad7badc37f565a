/**
 * The catalog's documents with what is kept of them in memory: every commit of the catalog goes
 * through here, so that cache and index follow before the caller goes on.
 */
import {
  type Clock,
  invariant,
  newUid,
  nextIteration,
  Refusal,
  systemClock,
} from '../../base/index.ts'
import {
  type CatalogChange,
  type CatalogConflict,
  CatalogDamaged,
  type CatalogDocument,
  type CatalogRecord,
  type CatalogStore,
  type CatalogWrite,
  type Committed,
  type ComponentList,
  type CreateComponents,
  type DocumentKey,
  type LabeledPage,
  type LabeledWalk,
  type Labels,
  type ListQuery,
  type PutDocument,
  type StoredComponent,
  type StoredStream,
  type StreamHandle,
  type WalkQuery,
} from '../../store/index.ts'
import { DerivationEdges } from '../derived/derivation-edges.ts'
import { StreamIndex } from '../index/stream-index.ts'
import { type CatalogListener, CatalogNewsListeners } from './catalog-news.ts'
import { CatchUps } from './catch-ups.ts'
import { changesPlace } from './changed-places.ts'
import { DocumentCache } from './document-cache.ts'
import { LoadedOrganizations } from './loaded-organizations.ts'
import { withoutRepeatedUses } from './record-uses.ts'

/** A stream that is gone, as its samples and files must go. */
export interface DeletedStream {
  readonly orgUid: string
  readonly handle: StreamHandle
  /** Its place in VALUE_TYPES. */
  readonly valueCode: number
}

/** Called with deleted streams after the commit; the caller of the delete waits for it. */
export type StreamsDeletedListener = (streams: readonly DeletedStream[]) => void | Promise<void>

/** Bodies of a few hundred bytes each: some megabytes. */
const CACHED_DOCUMENTS_MAX = 20_000
const CHANGES_PER_PAGE = 1_000
const STREAMS_PER_PAGE = 1_000
/** Records taken over before others get a turn: about a millisecond. */
const RECORDS_PER_STEP = 500
/** The same for created streams. They need no record, so more fit into a step. */
const CREATED_PER_STEP = 2_000
/** The kind of documents that record deleted streams whose samples may still be there. */
const NOTICE = 'deleted_streams'
const NOTICES_PER_PAGE = 100
const DELETE_PROFILE = 'delete_profile'
/** Records that are read at once for the index. */
const READ_AT_ONCE = 32
const FIRST_REVISION = 1

export class Documents {
  /** Components and streams as far as every call needs them; asked for after load(). */
  readonly index = new StreamIndex()
  readonly #store: CatalogStore
  readonly #cache = new DocumentCache(CACHED_DOCUMENTS_MAX)
  readonly #listeners: StreamsDeletedListener[] = []
  readonly #news = new CatalogNewsListeners()
  /** Which streams are derived from which. */
  readonly edges = new DerivationEdges()
  /** Commits whose documents cache and index do not have all yet; as many as calls run. */
  readonly #running = new Set<Promise<unknown>>()
  #cursor = 0
  /** Organizations that were read and are not followed yet, with the cursor at which they were read. */
  readonly #joining = new Map<string, number>()
  /** When memory takes over what other processes have committed. */
  readonly catchUps: CatchUps
  /** The organizations whose components and streams are in the index. */
  readonly loaded: LoadedOrganizations

  constructor(
    store: CatalogStore,
    {
      clock = systemClock,
      isShared = false,
      isLazy = false,
    }: { clock?: Clock; isShared?: boolean; isLazy?: boolean } = {},
  ) {
    this.#store = store
    this.catchUps = new CatchUps({ clock, isShared, run: () => this.#refresh() })
    this.loaded = new LoadedOrganizations({
      isLazy,
      scan: (orgUid) => this.#scanOrganization(orgUid),
      follow: (orgUid, cursor) => this.#followOrganization(orgUid, cursor),
      forget: (orgUid) => this.#forgetOrganization(orgUid),
    })
  }

  onStreamsDeleted(listener: StreamsDeletedListener): void {
    this.#listeners.push(listener)
  }

  onNews(listener: CatalogListener): void {
    this.#news.add(listener)
  }

  /** Fills the index from the store, once, at the start, unless organizations are loaded when they are used. */
  async load(): Promise<void> {
    if (this.loaded.isLazy) {
      this.#cursor = await this.#store.lastCursor()
      return
    }
    const { cursor, lost } = await this.#store.components.scan(this.index.receiver())
    this.index.settle()
    this.#cursor = cursor
    this.index.noteLost(lost)
    await this.#loadEdges(this.index.handlesDerived())
  }

  /** Reads an organization into the index; the cursor that it was read at. */
  async #scanOrganization(orgUid: string): Promise<number> {
    const { components } = this.#store
    invariant(components.scanOrganization !== undefined, 'this store is loaded as a whole')
    const derived: StreamHandle[] = []
    const { cursor } = await components.scanOrganization(orgUid, this.index.receiver(derived))
    this.index.settle()
    await this.#loadEdges(derived)
    return cursor
  }

  /** Lets the index follow an organization that was read at a cursor. */
  async #followOrganization(orgUid: string, cursor: number): Promise<void> {
    this.#joining.set(orgUid, cursor)
    try {
      await this.refresh()
    } finally {
      this.#joining.delete(orgUid)
    }
  }

  /**
   * Applies the changes that passed while organizations were read. Only one refresh runs at a time, so nothing else
   * follows changes of other processes meanwhile.
   */
  async #join(): Promise<void> {
    for (const [orgUid, cursor] of this.#joining) {
      this.loaded.follow(orgUid)
      for (let after = cursor; after < this.#cursor; ) {
        const page = await this.#changesAfter(after)
        await this.#takeOverAll(page.changes.filter((change) => change.orgUid === orgUid))
        if (page.changes.length < CHANGES_PER_PAGE) break
        after = page.cursor
      }
      this.#joining.delete(orgUid)
    }
  }

  #forgetOrganization(orgUid: string): void {
    for (const handle of this.index.deleteOrganization(orgUid)) this.edges.delete(handle)
  }

  /** Reads the streams that are derived by expressions: few have formulas, and the index does not hold these. */
  async #loadEdges(derived: Iterable<StreamHandle>): Promise<void> {
    let looked = 0
    for (const handle of derived) {
      looked += 1
      if (looked % RECORDS_PER_STEP === 0) await nextIteration()
      const { orgUid } = this.index.componentOf(handle)
      const uid = this.index.streamUid(handle)
      const stream = await this.#store.components.getStream(orgUid, uid).catch(unlessDamaged)
      if (stream !== undefined) this.edges.note(stream)
    }
    this.edges.settle(this.index, true)
  }

  /** Takes over what other processes have committed before the call. */
  refresh(): Promise<void> {
    return this.catchUps.refresh()
  }

  async #refresh(): Promise<number> {
    await this.#join()
    for (let taken = 0; ; ) {
      const page = await this.#changesAfter(this.#cursor)
      // What this process has put is followed; what it has deleted may have been read meanwhile.
      const changes = page.changes.filter(({ isOwn, isDeleted }) => isOwn !== true || isDeleted)
      await this.#takeOverAll(changes)
      this.edges.settle(this.index, this.#running.size === 0)
      this.#cursor = page.cursor
      taken += changes.length
      if (page.changes.length < CHANGES_PER_PAGE) return taken
    }
  }

  async #changesAfter(cursor: number): Promise<{ changes: CatalogChange[]; cursor: number }> {
    const page = await this.#store.changesSince(cursor, CHANGES_PER_PAGE)
    const isGap = (page.changes[0]?.cursor ?? 0) > cursor + 1
    if (isGap) throw new Error(`Cannot catch up: changes after ${cursor} are not kept`)
    return page
  }

  async #takeOverAll(changes: readonly CatalogChange[]): Promise<void> {
    for (let at = 0; at < changes.length; at += READ_AT_ONCE) {
      await this.#takeOver(changes.slice(at, at + READ_AT_ONCE))
    }
  }

  /** A document; components and streams are asked for below. */
  get(key: DocumentKey): Promise<CatalogDocument | undefined> {
    return this.#kept(key, () => this.#store.get(key))
  }

  getComponent(orgUid: string, uid: string): Promise<StoredComponent | undefined> {
    const read = () => this.#readComponent(orgUid, uid)
    return this.#kept({ orgUid, kind: 'component', uid }, read)
  }

  /** Fails for one that the store does not find though it is there: its index of UIDs is damaged. */
  async #readComponent(orgUid: string, uid: string): Promise<StoredComponent | undefined> {
    const found = await this.#store.components.get(orgUid, uid)
    if (found !== undefined || this.index.componentRef(orgUid, uid) === 0) return found
    await this.followed()
    if (this.index.componentRef(orgUid, uid) === 0) return undefined
    const again = await this.#store.components.get(orgUid, uid)
    if (again === undefined)
      throw new CatalogDamaged(`component ${uid} is not where the index says`)
    return again
  }

  getStream(orgUid: string, uid: string): Promise<StoredStream | undefined> {
    const read = () => this.#store.components.getStream(orgUid, uid)
    return this.#kept({ orgUid, kind: 'stream', uid }, read)
  }

  async #kept<T extends CatalogRecord>(
    key: DocumentKey,
    read: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const cached = this.#cache.get(key)
    if (cached !== undefined) return cached as T
    const { generation } = this.#cache
    const record = await read()
    // One that was forgotten meanwhile may be another by now.
    if (record !== undefined && generation === this.#cache.generation) this.#cache.put(record)
    return record
  }

  /** As getComponent, for walks over many, which would drive the others out of memory. */
  async getComponentOnce(orgUid: string, uid: string): Promise<StoredComponent | undefined> {
    const cached = this.#cache.get({ orgUid, kind: 'component', uid })
    return (cached as StoredComponent) ?? (await this.#readComponent(orgUid, uid))
  }

  /** As getStream, for walks over many. */
  async getStreamOnce(orgUid: string, uid: string): Promise<StoredStream | undefined> {
    const cached = this.#cache.get({ orgUid, kind: 'stream', uid })
    return (cached as StoredStream) ?? (await this.#store.components.getStream(orgUid, uid))
  }

  /** As ComponentReads.walkLabeled: memory holds no labels here. */
  walkLabeled(walk: LabeledWalk): Promise<LabeledPage> {
    return this.#store.components.walkLabeled(walk)
  }

  /** The streams of a component from the store, some of them at a time. */
  streamsOf(
    orgUid: string,
    componentUid: string,
    page: { readonly start: number; readonly limit: number },
  ): Promise<StoredStream[]> {
    return this.#store.components.streamsOf(orgUid, componentUid, page)
  }

  /** The stream of a series, from the store: memory holds no series. */
  findSeries(orgUid: string, series: readonly Labels[]): Promise<(StoredStream | undefined)[]> {
    return this.#store.components.findSeries(orgUid, series)
  }

  /** The component that a text is an address of, from the store. */
  findAddressed(
    orgUid: string,
    addresses: readonly string[],
  ): Promise<(StoredComponent | undefined)[]> {
    return this.#store.components.findAddressed(orgUid, addresses)
  }

  findByClaim(orgUid: string, claim: string): Promise<CatalogDocument | undefined> {
    return this.#store.findByClaim(orgUid, claim)
  }

  list(query: ListQuery): Promise<{ documents: CatalogDocument[]; totalCount: number }> {
    return this.#store.list(query)
  }

  listComponents(
    query: ComponentList,
  ): Promise<{ components: StoredComponent[]; totalCount: number }> {
    return this.#store.components.list(query)
  }

  walk(query: WalkQuery): Promise<{ documents: CatalogDocument[]; next?: string }> {
    return this.#store.walk(query)
  }

  walkComponents(
    query: Pick<WalkQuery, 'orgUid' | 'after' | 'limit'>,
  ): Promise<{ components: StoredComponent[]; next?: string }> {
    return this.#store.components.walk(query)
  }

  /**
   * Commits, lets cache and index follow, and notifies listeners of streams that are gone. A notice of
   * these is committed along and stays until the listeners are done, so that a crash in between
   * leaves no samples behind for good. `entries` are what the audit log says of the writes: see planChange.
   */
  async commit(
    wanted: readonly CatalogWrite[],
    entries: readonly PutDocument[],
  ): Promise<Committed> {
    const writes = withoutRepeatedUses(wanted)
    const doomed = this.#doomedBy(writes)
    const notice = doomed.length === 0 ? undefined : noticeWrite(doomed)
    const notifyNews = this.#news.gather(writes, this.index)
    const mustBeHeard = this.catchUps.isShared && writes.some((write) => this.#mustBeHeard(write))
    const along = notice === undefined ? entries : [...entries, notice]
    const following = this.#commitAndFollow(writes, along)
    this.#running.add(following)
    const committed = await following.finally(() => this.#running.delete(following))
    notifyNews()
    // The deletion includes what other processes put before they learned of it. After that they put nothing more.
    if (notice !== undefined || mustBeHeard) await this.catchUps.heard()
    if (notice !== undefined) await this.#carryOut(notice.uid, doomed)
    return committed
  }

  /** Whether what others do without knowing of a write would go wrong for good: it is answered when they know. */
  #mustBeHeard(write: CatalogWrite): boolean {
    return isFormula(write) || changesPlace(write, this.index)
  }

  /** Waits until cache and index have all that was committed before this call, by any process. */
  async followed(): Promise<void> {
    await Promise.allSettled(this.#running)
    if (this.catchUps.isShared) await this.refresh()
  }

  async #commitAndFollow(
    writes: readonly CatalogWrite[],
    along: readonly PutDocument[],
  ): Promise<Committed> {
    const committed = await this.#store.commit(along.length === 0 ? writes : [...writes, ...along])
    const { firstHandles } = committed
    // The caller did not ask for the extra documents, so their records are not returned.
    const records = committed.records.slice(0, committed.records.length - along.length)
    let put = 0
    let created = 0
    for (const write of writes) {
      if (write.op === 'create') {
        await this.#followCreated(write, firstHandles[created++])
      } else if (write.op !== 'delete' && write.op !== 'expect') {
        this.#follow(records[put++])
        if (put % RECORDS_PER_STEP === 0) await nextIteration()
      }
    }
    this.#forget(writes.filter(({ op }) => op === 'delete'))
    // This commit is among those that run.
    this.edges.settle(this.index, this.#running.size <= 1)
    return { records, firstHandles }
  }

  /** Lets the index follow a creation, whose handles count on from that of its first stream. */
  async #followCreated(created: CreateComponents, firstHandle: number): Promise<void> {
    const { orgUid, uids, ids, streamCounts, streamIds, definitions, definitionOf } = created
    if (!this.loaded.isFollowed(orgUid)) return
    const { timeZone } = created.common
    let stream = 0
    let pauseAt = CREATED_PER_STEP
    for (let at = 0; at < uids.length; at++) {
      const place = { orgUid, uid: uids[at], timeZone }
      let component = this.index.addComponent(place, ids[at])
      for (let ordinal = 1; ordinal <= streamCounts[at]; ordinal++, stream++) {
        if (stream === pauseAt) {
          await nextIteration()
          pauseAt += CREATED_PER_STEP
          // Another process may have deleted the component meanwhile.
          component = this.index.componentRef(orgUid, uids[at])
        }
        const handle = (firstHandle + stream) as StreamHandle
        const definition = definitions[definitionOf[stream]]
        if (component === 0) continue
        this.index.addStream({ handle, component, ordinal }, streamIds[stream], definition)
        if (!definition.isDerived) continue
        this.edges.note({ orgUid, handle, revision: FIRST_REVISION, more: definition.more })
      }
    }
  }

  /** Notifies the listeners of deletions that a crash or failure interrupted. */
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

  /** Reads again what another process wrote and a commit of ours ran into. */
  async catchUp(conflict: CatalogConflict): Promise<void> {
    this.#cache.delete(conflict.key)
    const found = await this.#conflicting(conflict)
    if (found === undefined) {
      if (conflict.claim === undefined) this.#forget([conflict.key])
      return
    }
    this.#follow(found)
    this.edges.settle(this.index, this.#running.size === 0)
    // Anyone who changed the component may have given its next streams UIDs that we would give too.
    if (found.kind === 'component') await this.#learnStreams(found)
  }

  /** What a commit ran into: what it wanted to write, or what has a claim that it wanted. */
  async #conflicting({ key, claim }: CatalogConflict): Promise<CatalogRecord | undefined> {
    const { components } = this.#store
    const { orgUid, kind, uid } = key
    if (claim === undefined) {
      if (kind === 'component') return await components.get(orgUid, uid)
      return kind === 'stream'
        ? await components.getStream(orgUid, uid)
        : await this.#store.get(key)
    }
    const [scheme, ...rest] = claim.split(':')
    const text = rest.join(':')
    if (scheme === 'component_id') return await components.findById(orgUid, text)
    if (scheme === 'addressed_as') return (await components.findAddressed(orgUid, [text]))[0]
    if (scheme === 'series') {
      const series: Labels = Object.fromEntries(JSON.parse(text))
      return (await components.findSeries(orgUid, [series]))[0]
    }
    // All streams of the component are learned then.
    if (scheme === 'stream_id') return await components.get(orgUid, rest[0])
    return await this.#store.findByClaim(orgUid, claim)
  }

  #follow(record: CatalogRecord): void {
    // A record that was just created is rarely read. Caching new devices would evict everything else.
    const isIndexed = this.#followInIndex(record)
    if (record.revision > FIRST_REVISION || !isIndexed) this.#cache.put(record)
    if (record.kind === DELETE_PROFILE) this.index.noteDeleteProfiles()
  }

  /** Lets the index follow; false for a kind that is not in it. */
  #followInIndex(record: CatalogRecord): boolean {
    if (!this.loaded.isFollowed(record.orgUid)) return false
    if (isComponent(record)) this.index.putComponent(record)
    else if (isStream(record)) this.#followStream(record)
    else return false
    return true
  }

  #followStream(stream: StoredStream): void {
    this.index.putStream(stream)
    this.edges.note(stream)
  }

  /** Reads all streams of a component for the index. */
  async #learnStreams({ orgUid, uid }: DocumentKey, start = 0): Promise<void> {
    for (let from = start; ; from += STREAMS_PER_PAGE) {
      const page = { start: from, limit: STREAMS_PER_PAGE }
      const streams = await this.#store.components.streamsOf(orgUid, uid, page)
      for (const stream of streams) this.#followStream(stream)
      this.edges.settle(this.index, this.#running.size === 0)
      if (streams.length < STREAMS_PER_PAGE) return
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
    const followed = keys.filter(({ orgUid }) => this.loaded.isFollowed(orgUid))
    for (const { kind, uid } of followed) {
      if (kind !== 'component') continue
      for (const handle of this.index.deleteComponent(uid)) this.edges.delete(handle)
    }
    for (const { kind, uid } of followed) {
      const handle = kind === 'stream' ? this.index.deleteStream(uid) : 0
      if (handle !== 0) this.edges.delete(handle)
    }
  }

  /**
   * Notifies listeners and takes the notice away. Where a full disk keeps it, false: the deletion is done
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

  /** Lets memory follow some changes, in their order; records are read only for the index. */
  async #takeOver(changes: readonly CatalogChange[]): Promise<void> {
    for (const change of changes) this.#cache.delete(change)
    const read = await Promise.all(changes.map((change) => this.#readChanged(change)))
    for (const [at, change] of changes.entries()) {
      // The deleting process has notified its listeners; here only memory follows.
      const notifyNews = this.#news.gather([change], this.index)
      if (change.isDeleted) this.#forget([change])
      else if (change.kind === DELETE_PROFILE) this.index.noteDeleteProfiles()
      for (const record of read[at]) this.#follow(record)
      const isLong = (change.streamCount ?? 0) > STREAMS_PER_PAGE
      if (isLong && read[at].length > 0) await this.#learnStreams(change, STREAMS_PER_PAGE)
      notifyNews()
    }
  }

  /** The component or stream of a change; with a component that was created the first of its streams. */
  async #readChanged(change: CatalogChange): Promise<readonly CatalogRecord[]> {
    const { orgUid, kind, uid, streamCount = 0 } = change
    const { components } = this.#store
    if (change.isDeleted || !this.loaded.isFollowed(orgUid)) return []
    if (kind === 'stream') return present(await components.getStream(orgUid, uid))
    if (kind !== 'component') return []
    const component = await components.get(orgUid, uid)
    if (component === undefined || streamCount === 0) return present(component)
    const page = { start: 0, limit: STREAMS_PER_PAGE }
    return [component, ...(await components.streamsOf(orgUid, uid, page))]
  }
}

/** Whether a write says how a stream is derived: what its sources are put from then on counts for it. */
function isFormula(write: CatalogWrite): boolean {
  if (write.op === 'create') return write.definitions.some(({ isDerived }) => isDerived)
  return write.op === 'put_stream' && write.isDerived
}

function isComponent(record: CatalogRecord): record is StoredComponent {
  return record.kind === 'component'
}

function isStream(record: CatalogRecord): record is StoredStream {
  return record.kind === 'stream'
}

function present<T>(record: T | undefined): T[] {
  return record === undefined ? [] : [record]
}

/** Unreadable records are reported when they are requested. */
function unlessDamaged(error: unknown): undefined {
  if (!(error instanceof CatalogDamaged)) throw error
}

function noticeWrite(deleted: readonly DeletedStream[]): PutDocument {
  const streams = deleted.map(({ orgUid, handle, valueCode }) => ({ orgUid, handle, valueCode }))
  const key = { orgUid: '', kind: NOTICE, uid: newUid() }
  return { op: 'put', ...key, body: { streams }, mayUseReserve: true, expectedRevision: 0 }
}
