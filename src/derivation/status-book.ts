import type { Clock } from '../base/index.ts'
import type { StreamIndex } from '../catalog/index.ts'
import {
  CatalogConflict,
  type CatalogDocument,
  type CatalogStore,
  type CatalogWrite,
  commitDocuments,
  type DocumentKey,
  type JsonObject,
  type StreamHandle,
} from '../store/index.ts'
import type { DerivationFailures } from './evaluate/evaluate-rows.ts'

const KIND = 'derivation_status'

/** What is known of a stream that nothing was derived of for so long goes; so does that of deleted ones. */
const KEPT_MS = 400 * 86_400_000

/** Entries at hand, some hundred bytes each; beyond this those that are written go first. */
const ENTRIES_MAX = 100_000

/** Documents of one commit. */
const WRITES_MAX = 500

/** Why the latest result is missing, and of what it would have been made. */
interface LastError {
  readonly message: string
  /** Of the result that there is none of; null when no sample caused it. */
  readonly time: number | null
  readonly values: Readonly<Record<string, number | string | boolean | null>>
}

/** What has become of a derived stream, as its record shows it. */
interface Status {
  readonly lastRun: number | null
  readonly lastError: LastError | null
  readonly errorCount: number
  readonly sampleCount: number
}

interface Entry {
  status: Status
  /** Whether the last error is that nothing can be derived until a record changes. */
  isHindered: boolean
  /** Results before this time are not derived by appends any more; undefined before the first one. */
  start: number | undefined
  /** Whether results up to `start` were derived, and it is not only where the first append was. */
  isSettled: boolean
  /** Which sources and trigger `start` is of; undefined while it is unknown. */
  formula: string | undefined
  /** Up to where appends are derived, by the UID of the source; of streams that appends revise. */
  fronts: ReadonlyMap<string, number>
  isDirty: boolean
  /** What the catalog had when it was read or written last: others may have counted since. */
  kept: { readonly revision: number; readonly status: Status }
  readonly key: { readonly orgUid: string; readonly uid: string; readonly componentUid: string }
}

/** What one run came to. */
interface RunOutcome {
  readonly samples: number
  readonly failures: DerivationFailures
}

const NOTHING: Status = { lastRun: null, lastError: null, errorCount: 0, sampleCount: 0 }

interface BookDeps {
  readonly catalog: Pick<CatalogStore, 'get' | 'commit'>
  readonly index: StreamIndex
  readonly clock: Clock
  /** Whether other processes derive over the same catalog. */
  readonly isShared?: boolean
}

/** What has become of derived streams, and from where on appends derive them; kept in the catalog. */
export class StatusBook {
  readonly #deps: BookDeps
  readonly #entries = new Map<StreamHandle, Entry>()
  /** Since the start. */
  readonly totals = { runs: 0, samples: 0, failures: 0 }

  constructor(deps: BookDeps) {
    this.#deps = deps
  }

  /** The status of a living derived stream. */
  async read(handle: number): Promise<Status> {
    return (await this.#entryOf(handle as StreamHandle))?.status ?? NOTHING
  }

  /**
   * From where on appends derive a stream that has no samples: where the first append was, unless later
   * ones have derived further. For a formula of other sources it is looked for again: earlier samples of these are not derived.
   */
  async startOf(handle: StreamHandle, touchedFrom: number, formula: string): Promise<number> {
    const entry = await this.#entryOf(handle)
    if (entry === undefined) return touchedFrom
    if (entry.formula !== formula) {
      if (entry.formula !== undefined) Object.assign(entry, { start: undefined, isSettled: false })
      entry.formula = formula
      entry.isDirty = true
    }
    const start = entry.start ?? touchedFrom
    const earliest = entry.isSettled ? start : Math.min(start, touchedFrom)
    if (earliest !== entry.start) {
      entry.start = earliest
      entry.isDirty = true
    }
    return earliest
  }

  /** Whether it is known from where on appends derive a stream by a formula. */
  async hasStart(handle: StreamHandle, formula: string): Promise<boolean> {
    const entry = await this.#entryOf(handle)
    return entry?.start !== undefined && (entry.formula ?? formula) === formula
  }

  /** Whether results of a formula are derived up to its start, and it is not looked for any more. */
  async hasSettled(handle: StreamHandle, formula: string): Promise<boolean> {
    const entry = await this.#entryOf(handle)
    return entry?.isSettled === true && (entry.formula ?? formula) === formula
  }

  /** Up to where appends of each source are derived; of those that were not appended to nothing is known. */
  async frontsOf(
    handle: StreamHandle,
    sources: readonly StreamHandle[],
  ): Promise<ReadonlyMap<StreamHandle, number>> {
    const { index } = this.#deps
    const entry = await this.#entryOf(handle)
    const fronts = new Map<StreamHandle, number>()
    for (const source of sources) {
      const front = index.has(source) ? entry?.fronts.get(index.streamUid(source)) : undefined
      if (front !== undefined) fronts.set(source, front)
    }
    return fronts
  }

  /** Notes that appends of sources up to some times are derived; sources that are none any more are forgotten. */
  async noteFronts(
    handle: StreamHandle,
    sources: readonly StreamHandle[],
    derived: ReadonlyMap<StreamHandle, number>,
  ): Promise<void> {
    const known = await this.frontsOf(handle, sources)
    const entry = await this.#entryOf(handle)
    if (entry === undefined) return
    const { index } = this.#deps
    const fronts = new Map<string, number>()
    for (const source of sources) {
      const front = Math.max(known.get(source) ?? -Infinity, derived.get(source) ?? -Infinity)
      if (front > -Infinity && index.has(source)) fronts.set(index.streamUid(source), front)
    }
    entry.fronts = fronts
    entry.isDirty = true
  }

  /** Notes that appends need not derive results before a time again. */
  async settle(handle: StreamHandle, until: number): Promise<void> {
    const entry = await this.#entryOf(handle)
    if (entry === undefined || (entry.isSettled && (entry.start ?? until) >= until)) return
    entry.start = Math.max(entry.start ?? until, until)
    entry.isSettled = true
    entry.isDirty = true
  }

  /** Notes that results from a time on may be missing again. */
  async reopen(handle: StreamHandle, from: number): Promise<void> {
    const entry = await this.#entryOf(handle)
    if (entry?.start === undefined || entry.start <= from) return
    entry.start = from
    entry.isDirty = true
  }

  /** Counts a run. */
  async note(handle: StreamHandle, { samples, failures }: RunOutcome): Promise<void> {
    const { totals } = this
    totals.runs += 1
    totals.samples += samples
    totals.failures += failures.count
    const entry = await this.#entryOf(handle)
    if (entry === undefined) return
    const { last } = failures
    const before = entry.status
    entry.status = {
      lastRun: this.#deps.clock.now(),
      lastError: last === undefined ? before.lastError : errorOf(last),
      errorCount: before.errorCount + failures.count,
      sampleCount: before.sampleCount + samples,
    }
    if (last !== undefined) entry.isHindered = false
    entry.isDirty = true
  }

  /** Takes back that a stream cannot be derived, as its records let it be again. */
  async noteFit(handle: StreamHandle): Promise<void> {
    const entry = await this.#entryOf(handle)
    if (!entry?.isHindered) return
    entry.status = { ...entry.status, lastError: null }
    entry.isHindered = false
    entry.isDirty = true
  }

  /** Records why nothing can be derived until a record changes; repeating it has no effect. */
  async noteHindrance(handle: StreamHandle, message: string): Promise<void> {
    await this.noteProblem(handle, message)
    const entry = await this.#entryOf(handle)
    if (entry === undefined || entry.isHindered) return
    entry.isHindered = true
    entry.isDirty = true
  }

  /** Records why nothing can be derived, or stored, at all; repeating it has no effect. */
  async noteProblem(handle: StreamHandle, message: string): Promise<void> {
    const entry = await this.#entryOf(handle)
    if (entry === undefined || entry.status.lastError?.message === message) return
    const { status } = entry
    const lastError = { message, time: null, values: {} }
    entry.status = { ...status, lastError, errorCount: status.errorCount + 1 }
    entry.isHindered = false
    entry.isDirty = true
  }

  /** Forgets what another process has kept; what this one has yet to keep is added to it then. */
  forgetWritten(keys: readonly DocumentKey[]): void {
    for (const { kind, orgUid, uid } of keys) {
      const handle = kind === KIND ? this.#deps.index.streamByUid(orgUid, uid) : 0
      if (handle !== 0 && this.#entries.get(handle)?.isDirty === false) this.#entries.delete(handle)
    }
  }

  /** Whether something has changed since it was kept. */
  get isDirty(): boolean {
    for (const { isDirty } of this.#entries.values()) if (isDirty) return true
    return false
  }

  /** Keeps what has changed since the last time, and `more` in the last commit. */
  async flush(more: readonly CatalogWrite[]): Promise<void> {
    const dirty = [...this.#entries.values()].filter(({ isDirty }) => isDirty)
    for (let at = 0; at < dirty.length; at += WRITES_MAX) {
      await this.#write(dirty.slice(at, at + WRITES_MAX))
    }
    if (more.length > 0) await this.#deps.catalog.commit(more)
    if (this.#entries.size > ENTRIES_MAX) {
      for (const [handle, { isDirty }] of this.#entries) {
        if (!isDirty) this.#entries.delete(handle)
      }
    }
  }

  async #write(entries: readonly Entry[]): Promise<void> {
    const { catalog, clock, index } = this.#deps
    const living = entries.filter(({ key }) => index.streamByUid(key.orgUid, key.uid) !== 0)
    if (this.#deps.isShared === true) for (const entry of living) await this.#addKept(entry)
    for (const entry of entries) entry.isDirty = false
    try {
      if (living.length === 0) return
      const puts = living.map((one) => this.#putOf(one, clock.now()))
      const documents = await commitDocuments(catalog, puts)
      for (const [at, entry] of living.entries()) {
        entry.kept = { revision: documents[at].revision, status: readStatus(documents[at]) }
      }
    } catch (error) {
      for (const entry of entries) entry.isDirty = true
      // Another process was faster with one of them: the next time all are added to what it has kept.
      if (!(error instanceof CatalogConflict)) throw error
    }
  }

  /** Adds what this process has counted to what others have kept meanwhile. */
  async #addKept(entry: Entry): Promise<void> {
    const { orgUid, uid } = entry.key
    const document = await this.#deps.catalog.get({ orgUid, kind: KIND, uid })
    const revision = document?.revision ?? 0
    if (revision === entry.kept.revision) return
    const theirs = document === undefined ? NOTHING : readStatus(document)
    const { status, kept } = entry
    entry.status = {
      ...status,
      errorCount: theirs.errorCount + status.errorCount - kept.status.errorCount,
      sampleCount: theirs.sampleCount + status.sampleCount - kept.status.sampleCount,
    }
    entry.kept = { revision, status: theirs }
  }

  #putOf(entry: Entry, nowMs: number): CatalogWrite {
    const { isShared } = this.#deps
    return putOf(entry, nowMs, isShared === true ? entry.kept.revision : 'any')
  }

  async #entryOf(handle: StreamHandle): Promise<Entry | undefined> {
    const { catalog, index } = this.#deps
    const known = this.#entries.get(handle)
    if (known !== undefined) return known
    if (!index.has(handle)) return undefined
    const { orgUid, uid: componentUid } = index.componentOf(handle)
    const key = { orgUid, componentUid, uid: index.streamUid(handle) }
    const document = await catalog.get({ orgUid, kind: KIND, uid: key.uid })
    // Somebody else may have read it meanwhile.
    return this.#entries.getOrInsertComputed(handle, () => readEntry(key, document))
  }
}

/** Whole numbers beyond doubles are written as texts. */
function errorOf({ message, time, values }: NonNullable<DerivationFailures['last']>): LastError {
  const shown = Object.entries(values).map(
    ([name, value]) => [name, typeof value === 'bigint' ? String(value) : value] as const,
  )
  return { message, time, values: Object.fromEntries(shown) }
}

function putOf(
  { key, status, isHindered, start, isSettled, formula, fronts }: Entry,
  nowMs: number,
  expectedRevision: number | 'any',
): CatalogWrite {
  const { orgUid, uid, componentUid } = key
  return {
    op: 'put',
    orgUid,
    kind: KIND,
    uid,
    parentUid: componentUid,
    expectedRevision,
    expiresAtMs: nowMs + KEPT_MS,
    body: {
      status: status as unknown as JsonObject,
      start: start ?? null,
      isSettled,
      isHindered,
      formula: formula ?? null,
      fronts: Object.fromEntries(fronts),
    },
  }
}

function readStatus({ body }: Pick<CatalogDocument, 'body'>): Status {
  return body.status as unknown as Status
}

function readEntry(key: Entry['key'], document: CatalogDocument | undefined): Entry {
  if (document === undefined) {
    const [start, formula, fronts] = [undefined, undefined, new Map<string, number>()]
    const isNot = { isHindered: false, isSettled: false, isDirty: false }
    const kept = { revision: 0, status: NOTHING }
    return { status: NOTHING, start, formula, fronts, ...isNot, kept, key }
  }
  const { body, revision } = document
  const start = typeof body.start === 'number' ? body.start : undefined
  const status = readStatus(document)
  const kept = { revision, status }
  const formula = typeof body.formula === 'string' ? body.formula : undefined
  const fronts = new Map(Object.entries((body.fronts ?? {}) as Record<string, number>))
  const isSettled = body.isSettled === true
  const isHindered = body.isHindered === true
  return { status, isHindered, start, isSettled, formula, fronts, isDirty: false, kept, key }
}
