import { MEMBERSHIP_KIND } from '../../auth/index.ts'
import { KeyedMutex, nextIteration, Pacer } from '../../base/index.ts'
import type { CatalogNews } from '../../catalog/index.ts'
import {
  CatalogDamaged,
  type Labels,
  type StreamHandle,
  type WrittenKey,
} from '../../store/index.ts'
import type { Alert, AlertBody } from '../record/alert-shape.ts'
import type { Alerts } from '../record/alerts.ts'
import { MUTE_KIND } from '../state/state-documents.ts'
import { type LoadDeps, loadContext } from './load-alert.ts'
import { LoadedAlert } from './loaded-alert.ts'
import { SelectorIndex } from './selector-index.ts'
import { WatchTable } from './watch-table.ts'

const ALERTS_PER_PAGE = 100
/** Alerts whose streams are compared with those of their version before, together: each has a set of streams. */
const COMPARED_AT_ONCE = 20

/** Why an alert no longer watches a stream. */
export type LeaveCause = 'deleted' | 'unwatched' | 'disabled'

/** Called with changes of what is watched. */
export interface WatchListener {
  /** An alert watches a stream from here on; a new one was made after the last time that the catalog was followed. */
  onJoin(loaded: LoadedAlert, handle: StreamHandle, isNew: boolean): void
  /** It does not any more; the record of a deleted stream is gone. */
  onLeave(ref: number, handle: StreamHandle, cause: LeaveCause): void
  /** An alert was loaded, for the first time or again. */
  onLoaded(loaded: LoadedAlert): void
  /** An alert was deleted; its streams have left before. */
  onGone(loaded: LoadedAlert): void
}

interface WatchDeps extends LoadDeps {
  readonly alerts: Alerts
  readonly listOrganizations: () => readonly { readonly uid: string }[]
  /** Watches streams from the call on. */
  readonly watchAlso: (handle: StreamHandle) => void
}

/** Kinds of documents whose changes concern alerts. */
const KINDS: ReadonlySet<string> = new Set([
  'alert',
  MUTE_KIND,
  MEMBERSHIP_KIND,
  'cycle',
  'component_template',
])

/** Which alerts there are, and which streams each of them watches; it follows the catalog. */
export class WatchList {
  readonly table = new WatchTable()
  readonly #deps: WatchDeps
  readonly #byRef = new Map<number, LoadedAlert>()
  readonly #refs = new Map<string, number>()
  #listener: WatchListener | undefined
  #lastRef = 0
  #version = 0
  #isLoaded = false
  /** Alerts that are to be loaded again, by UID, with their organizations. */
  #changed = new Map<string, string>()
  /** Components that are to be looked at again, by organization. */
  #components = new Map<string, Set<string>>()
  #mayHaveGone = false
  #isOverWatched = false
  /** Streams with greater handles are new. */
  #lastHandle = 0
  #handleAtStart = 0
  /** Alerts whose streams are being found, or could not be. */
  readonly #unfinished = new Set<number>()
  readonly #mutex = new KeyedMutex<string>()

  constructor(deps: WatchDeps) {
    this.#deps = deps
    deps.catalog.onNews({
      isListening: () => this.#byRef.size > 0,
      note: (news) => this.#noteNews(news),
    })
  }

  /** Whether no alert is there that could watch a stream. */
  get isEmpty(): boolean {
    return this.#byRef.size === 0 && this.#changed.size === 0
  }

  /** Whether sync() has work to do. */
  get isBehind(): boolean {
    return this.#changed.size + this.#components.size > 0 || this.#mayHaveGone
  }

  all(): IterableIterator<LoadedAlert> {
    return this.#byRef.values()
  }

  byRef(ref: number): LoadedAlert | undefined {
    return this.#byRef.get(ref)
  }

  refOf(uid: string): number | undefined {
    return this.#refs.get(uid)
  }

  /** Whether the store may watch streams that no alert means. */
  get isOverWatched(): boolean {
    return this.#isOverWatched && this.#components.size === 0
  }

  /** Notes that the store was given the streams of the table. */
  noteWatched(): void {
    if (this.#components.size === 0) this.#isOverWatched = false
  }

  /** Sets who is called with changes, from here on. */
  listen(listener: WatchListener | undefined): void {
    this.#listener = listener
  }

  /** Notes what a commit has written. */
  noteWritten(writes: readonly WrittenKey[]): void {
    for (const { op, kind, orgUid, uid } of writes) {
      if (op === 'expect' || !KINDS.has(kind)) continue
      if (kind === 'alert' || kind === MUTE_KIND) {
        this.#changed.set(uid, orgUid)
        continue
      }
      for (const { alert, context } of this.#byRef.values()) {
        if (alert.orgUid !== orgUid) continue
        const isNamed =
          kind === 'cycle'
            ? alert.cycle?.uid === uid || context.cycles.size > 0 || context.problem !== ''
            : (kind === MEMBERSHIP_KIND ? alert.runningUser : alert.template)?.uid === uid
        if (isNamed) this.#changed.set(alert.uid, orgUid)
      }
    }
  }

  /** Loads all alerts at first, and then what has changed. */
  async sync(): Promise<void> {
    await this.#mutex.run(['sync'], async () => {
      this.#handleAtStart = this.#deps.catalog.index.lastHandle
      if (!this.#isLoaded) await this.#loadAll()
      await this.#loadChanged()
      await this.#lookAtComponents()
      if (this.#mayHaveGone) this.#dropGone()
      this.#lastHandle = Math.max(this.#lastHandle, this.#handleAtStart)
    })
  }

  async #loadAll(): Promise<void> {
    this.#isLoaded = true
    try {
      for (const { uid } of this.#deps.listOrganizations()) {
        for (let start = 0; ; start += ALERTS_PER_PAGE) {
          const page = { start, limit: ALERTS_PER_PAGE }
          const alerts = await this.#deps.alerts.listAll(uid, page)
          for (const alert of alerts) this.#changed.set(alert.uid, uid)
          if (alerts.length < ALERTS_PER_PAGE) break
        }
      }
    } catch (error) {
      this.#isLoaded = false
      throw error
    }
  }

  async #loadChanged(): Promise<void> {
    const changed = this.#changed
    this.#changed = new Map()
    try {
      const fresh = new Set<LoadedAlert>()
      const compared = new Set<LoadedAlert>()
      for (const [uid, orgUid] of changed) {
        const isFresh = !this.#refs.has(uid)
        const loaded = await this.#load(orgUid, uid)
        if (loaded === undefined) continue
        // A fresh alert has no streams to let go of, so its streams need not be gathered.
        if (isFresh && loaded.isActive) fresh.add(loaded)
        else compared.add(loaded)
      }
      await this.#watchStreams({ fresh, compared })
    } catch (error) {
      this.#changed = new Map([...changed, ...this.#changed])
      throw error
    }
  }

  /** Loads an alert. Returns it if other streams than before may be watched. */
  async #load(orgUid: string, uid: string): Promise<LoadedAlert | undefined> {
    const alert = await this.#read(orgUid, uid)
    const known = this.#refs.get(uid)
    const before = known === undefined ? undefined : this.#byRef.get(known)
    if (alert === undefined) {
      if (before !== undefined) this.#drop(before)
      return undefined
    }
    const context = await loadContext(this.#deps, alert)
    const ref = known ?? ++this.#lastRef
    const loaded = new LoadedAlert(alert, context, { ref, version: ++this.#version })
    this.#refs.set(uid, ref)
    this.#byRef.set(ref, loaded)
    this.#listener?.onLoaded(loaded)
    const isSame =
      loaded.isDynamic && before?.selectsAs(loaded) === true && !this.#unfinished.has(ref)
    if (isSame) return undefined
    this.#unfinished.add(ref)
    return loaded
  }

  /** Watches the streams of alerts. Catalogs are large, so alerts on templates and labels share one walk. */
  async #watchStreams(
    alerts: Record<'fresh' | 'compared', ReadonlySet<LoadedAlert>>,
  ): Promise<void> {
    const { fresh, compared } = alerts
    for (const [orgUid, own] of Map.groupBy(fresh, ({ alert }) => alert.orgUid)) {
      await this.#walk(orgUid, own, (loaded, handle) => this.#join(loaded, handle, false))
    }
    for (const [orgUid, own] of Map.groupBy(compared, ({ alert }) => alert.orgUid)) {
      for (let at = 0; at < own.length; at += COMPARED_AT_ONCE) {
        await this.#compare(orgUid, own.slice(at, at + COMPARED_AT_ONCE))
      }
    }
    for (const { ref } of [...fresh, ...compared]) this.#unfinished.delete(ref)
  }

  /** Lets alerts watch other streams than their versions before. */
  async #compare(orgUid: string, alerts: readonly LoadedAlert[]): Promise<void> {
    const members = new Map(alerts.map((loaded) => [loaded, new Set<StreamHandle>()]))
    const active = alerts.filter(({ isActive }) => isActive)
    await this.#walk(orgUid, active, (loaded, handle) => members.get(loaded)?.add(handle))
    for (const [loaded, own] of members) {
      const { ref } = loaded
      const cause = loaded.isActive ? 'unwatched' : 'disabled'
      for (const handle of [...this.table.handles(ref)]) {
        if (!own.has(handle)) this.#leave(ref, handle, cause)
      }
      for (const handle of own) this.#join(loaded, handle, false)
    }
  }

  /** Reads an alert past the cache of records, which may be behind what another process has committed. */
  async #read(orgUid: string, uid: string): Promise<Alert | undefined> {
    const document = await this.#deps.catalogStore.get({ orgUid, kind: 'alert', uid })
    if (document === undefined) return undefined
    const body = document.body as unknown as AlertBody
    return { ...body, uid, orgUid, revision: document.revision }
  }

  #drop(loaded: LoadedAlert): void {
    const { ref, alert } = loaded
    for (const handle of [...this.table.handles(ref)]) this.#leave(ref, handle, 'disabled')
    this.#byRef.delete(ref)
    this.#refs.delete(alert.uid)
    this.#listener?.onGone(loaded)
  }

  #join(loaded: LoadedAlert, handle: StreamHandle, isNew: boolean): void {
    if (!this.#deps.catalog.index.has(handle)) return
    if (!this.table.add(handle, loaded.ref)) return
    this.#deps.watchAlso(handle)
    this.#listener?.onJoin(loaded, handle, isNew)
  }

  /** The listener is called first: it still finds what the table knows of the stream. */
  #leave(ref: number, handle: StreamHandle, cause: LeaveCause): void {
    this.#listener?.onLeave(ref, handle, cause)
    this.table.remove(handle, ref)
  }

  /** All streams that an alert watches. */
  async membersOf(loaded: LoadedAlert): Promise<Set<StreamHandle>> {
    const members = new Set<StreamHandle>()
    await this.#walk(loaded.alert.orgUid, [loaded], (_, handle) => members.add(handle))
    return members
  }

  /** Finds the streams that alerts of one organization watch. */
  async #walk(
    orgUid: string,
    alerts: readonly LoadedAlert[],
    onFound: (loaded: LoadedAlert, handle: StreamHandle) => void,
  ): Promise<void> {
    const { catalog } = this.#deps
    const { index } = catalog
    const find = (loaded: LoadedAlert, handle: StreamHandle | 0) => {
      if (handle !== 0 && loaded.fitsType(index.valueCodeOf(handle))) onFound(loaded, handle)
    }
    const pacer = new Pacer()
    for (const loaded of alerts) {
      for (const { streamUid } of loaded.alert.streams) {
        if (index.hasLivingUid(streamUid)) find(loaded, index.streamByUid(orgUid, streamUid))
      }
      await pacer.spend(loaded.alert.streams.length)
    }
    const selectors = new SelectorIndex(alerts)
    if (selectors.hasTemplates) {
      for await (const components of catalog.walkComponents(orgUid)) {
        for (const { uid, template } of components) {
          const selecting = selectors.onTemplate(template ?? '')
          const entry = index.componentByUid(orgUid, uid)
          await pacer.spend(1 + selecting.length)
          if (entry === undefined) continue
          for (const loaded of selecting) {
            find(loaded, index.resolveStream(entry, loaded.alert.streamId))
          }
        }
      }
    }
    if (!selectors.hasLabels) return
    for await (const streams of catalog.walkLabeled(orgUid)) {
      for (const { handle, labels } of streams) {
        if (!index.has(handle)) continue
        const selecting = selectors.withLabels(labels)
        for (const loaded of selecting) find(loaded, handle)
        await pacer.spend(1 + selecting.length)
      }
      await nextIteration()
    }
  }

  /**
   * Streams of components that were made or changed are watched at once, before anything is put into them. Whether an
   * alert means them is found out later.
   */
  #noteNews({ orgUid, componentUids }: CatalogNews): void {
    this.#mayHaveGone = true
    const isDynamic = this.#byRef
      .values()
      .some((loaded) => loaded.alert.orgUid === orgUid && loaded.isDynamic && loaded.isActive)
    if (!isDynamic) return
    const { catalog, watchAlso } = this.#deps
    const changed = this.#components.get(orgUid) ?? new Set()
    this.#components.set(orgUid, changed)
    for (const uid of componentUids) {
      changed.add(uid)
      for (const handle of streamsOf(() => catalog.index.componentByUid(orgUid, uid)?.streams)) {
        watchAlso(handle)
        this.#isOverWatched = true
      }
    }
  }

  async #lookAtComponents(): Promise<void> {
    const pacer = new Pacer()
    for (const [orgUid, uids] of this.#components) {
      const selectors = new SelectorIndex(
        [...this.#byRef.values()].filter(
          ({ alert, isDynamic, isActive }) => alert.orgUid === orgUid && isDynamic && isActive,
        ),
      )
      for (const uid of uids) {
        await this.#lookAt({ orgUid, uid }, selectors, pacer)
        uids.delete(uid)
      }
      if (uids.size === 0) this.#components.delete(orgUid)
    }
  }

  async #lookAt(
    { orgUid, uid }: { readonly orgUid: string; readonly uid: string },
    selectors: SelectorIndex,
    pacer: Pacer,
  ): Promise<void> {
    const { catalog } = this.#deps
    const { index } = catalog
    const component = await catalog.describeComponent(orgUid, uid)
    if (component === undefined) return
    const labels = new Map<StreamHandle, Labels | undefined>()
    if (selectors.hasLabels) {
      for await (const streams of catalog.walkStreams(orgUid, uid)) {
        for (const stream of streams) labels.set(stream.handle, stream.labels)
      }
    }
    for (const handle of streamsOf(() => index.componentByUid(orgUid, uid)?.streams)) {
      await pacer.spend(1)
      if (!index.has(handle)) continue
      const valueCode = index.valueCodeOf(handle)
      const selecting = selectors
        .selecting({
          templateId: component.template,
          streamId: index.streamIdOf(handle),
          labels: labels.get(handle),
        })
        .filter((loaded) => loaded.fitsType(valueCode))
      for (const loaded of selecting) this.#join(loaded, handle, handle > this.#lastHandle)
      const refs = new Set(selecting.map(({ ref }) => ref))
      for (const ref of this.table.refsOf(handle)) {
        if (this.#byRef.get(ref)?.isDynamic === true && !refs.has(ref)) {
          this.#leave(ref, handle, 'unwatched')
        }
      }
    }
  }

  /** Lets go of streams that were deleted. */
  #dropGone(): void {
    this.#mayHaveGone = false
    const { index } = this.#deps.catalog
    for (const handle of [...this.table.handles()]) {
      if (index.has(handle)) continue
      for (const ref of this.table.refsOf(handle)) this.#leave(ref, handle, 'deleted')
    }
  }
}

/** Streams of a component; none where some are lost. */
function streamsOf(read: () => readonly StreamHandle[] | undefined): readonly StreamHandle[] {
  try {
    return read() ?? []
  } catch (error) {
    if (error instanceof CatalogDamaged) return []
    throw error
  }
}
