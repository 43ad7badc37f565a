import { KeyedMutex, nextIteration } from '../../base/index.ts'
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
import { findProblem, type LoadDeps, loadContext } from './load-alert.ts'
import { LoadedAlert } from './loaded-alert.ts'
import { WatchTable } from './watch-table.ts'

const ALERTS_PER_PAGE = 100
/** Streams looked at before others get a turn. */
const STREAMS_PER_STEP = 2_000

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
const KINDS: ReadonlySet<string> = new Set(['alert', MUTE_KIND, 'cycle', 'component_template'])

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
      for (const { alert } of this.#byRef.values()) {
        if (alert.orgUid === orgUid) this.#changed.set(alert.uid, orgUid)
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

  /** Checks whether alerts may still run as their users: no commit of an alert reports that. */
  async checkUsers(): Promise<void> {
    for (const { alert, context } of [...this.#byRef.values()]) {
      const problem = await findProblem(this.#deps, alert)
      if ((problem === '') !== (context.problem === '')) this.#changed.set(alert.uid, alert.orgUid)
    }
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
    for (const [uid, orgUid] of this.#changed) {
      this.#changed.delete(uid)
      try {
        await this.#load(orgUid, uid)
      } catch (error) {
        this.#changed.set(uid, orgUid)
        throw error
      }
    }
  }

  async #load(orgUid: string, uid: string): Promise<void> {
    const alert = await this.#read(orgUid, uid)
    const known = this.#refs.get(uid)
    const before = known === undefined ? undefined : this.#byRef.get(known)
    if (alert === undefined) {
      if (before !== undefined) this.#drop(before)
      return
    }
    const context = await loadContext(this.#deps, alert)
    const ref = known ?? ++this.#lastRef
    const loaded = new LoadedAlert(alert, context, { ref, version: ++this.#version })
    this.#refs.set(uid, ref)
    this.#byRef.set(ref, loaded)
    this.#listener?.onLoaded(loaded)
    const members = loaded.isActive ? await this.membersOf(loaded) : new Set<StreamHandle>()
    const cause = loaded.isActive ? 'unwatched' : 'disabled'
    for (const handle of [...this.table.handles(ref)]) {
      if (!members.has(handle)) this.#leave(ref, handle, cause)
    }
    for (const handle of members) this.#join(loaded, handle, false)
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
    const { catalog } = this.#deps
    const { index } = catalog
    const { alert } = loaded
    const { orgUid } = alert
    const members = new Set<StreamHandle>()
    const add = (handle: StreamHandle | 0) => {
      if (handle !== 0 && loaded.fitsType(index.valueCodeOf(handle))) members.add(handle)
    }
    for (const { streamUid } of alert.streams) {
      if (index.hasLivingUid(streamUid)) add(index.streamByUid(orgUid, streamUid))
    }
    if (alert.template !== null) {
      const template = await catalog.templates.find(orgUid, alert.template.uid)
      if (template === undefined || template.id === '') return members
      for await (const components of catalog.walkComponents(orgUid)) {
        for (const component of components) {
          if (component.template !== template.id) continue
          const entry = index.componentByUid(orgUid, component.uid)
          if (entry !== undefined) add(index.resolveStream(entry, alert.streamId))
        }
      }
    } else if (loaded.isDynamic) {
      for await (const streams of catalog.walkLabeled(orgUid)) {
        for (const { handle, labels } of streams) {
          if (index.has(handle) && hasLabels(labels, alert.labels)) add(handle)
        }
        await nextIteration()
      }
    }
    return members
  }

  /**
   * Streams of components that were made or changed are watched at once, before anything is put into them. Whether an
   * alert means them is found out later.
   */
  #noteNews({ orgUid, componentUids }: CatalogNews): void {
    this.#mayHaveGone = true
    const isDynamic = [...this.#byRef.values()].some(
      (loaded) => loaded.alert.orgUid === orgUid && loaded.isDynamic && loaded.isActive,
    )
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
    let looked = 0
    for (const [orgUid, uids] of this.#components) {
      const dynamic = [...this.#byRef.values()].filter(
        (loaded) => loaded.alert.orgUid === orgUid && loaded.isDynamic && loaded.isActive,
      )
      const ids = await this.#templateIds(orgUid, dynamic)
      for (const uid of uids) {
        if (dynamic.length > 0) await this.#lookAt({ orgUid, uid }, dynamic, ids)
        uids.delete(uid)
        looked += 1
        if (looked % STREAMS_PER_STEP === 0) await nextIteration()
      }
      if (uids.size === 0) this.#components.delete(orgUid)
    }
  }

  async #templateIds(
    orgUid: string,
    dynamic: readonly LoadedAlert[],
  ): Promise<Map<LoadedAlert, string>> {
    const ids = new Map<LoadedAlert, string>()
    for (const loaded of dynamic) {
      const { template } = loaded.alert
      if (template === null) continue
      const found = await this.#deps.catalog.templates.find(orgUid, template.uid)
      ids.set(loaded, found?.id ?? '')
    }
    return ids
  }

  async #lookAt(
    { orgUid, uid }: { readonly orgUid: string; readonly uid: string },
    dynamic: readonly LoadedAlert[],
    templateIds: ReadonlyMap<LoadedAlert, string>,
  ): Promise<void> {
    const { catalog } = this.#deps
    const { index } = catalog
    const component = await catalog.describeComponent(orgUid, uid)
    if (component === undefined) return
    const labels = new Map<StreamHandle, Labels | undefined>()
    if (dynamic.some(({ alert }) => alert.template === null)) {
      for await (const streams of catalog.walkStreams(orgUid, uid)) {
        for (const stream of streams) labels.set(stream.handle, stream.labels)
      }
    }
    for (const handle of streamsOf(() => index.componentByUid(orgUid, uid)?.streams)) {
      for (const loaded of dynamic) {
        const { alert, ref } = loaded
        const isMeant =
          alert.template === null
            ? hasLabels(labels.get(handle), alert.labels)
            : component.template !== undefined &&
              component.template === templateIds.get(loaded) &&
              index.streamIdOf(handle) === alert.streamId
        if (isMeant && loaded.fitsType(index.valueCodeOf(handle)))
          this.#join(loaded, handle, handle > this.#lastHandle)
        else if (this.table.isWatchedBy(handle, ref)) this.#leave(ref, handle, 'unwatched')
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

function hasLabels(labels: Labels | undefined, wanted: Alert['labels']): boolean {
  if (labels === undefined) return false
  return Object.entries(wanted).every(([name, text]) => labels[name] === text)
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
