/**
 * Runs imports on their schedules. The catalog has a document for each scheduled import, listed by its next time. The
 * process that advances this time runs the import, so only one of several processes does. Runs missed while the service
 * was stopped are made up by one run.
 */
import { type Clock, type EpochMs, epochMs, type Log, Refusal } from '../../base/index.ts'
import { CatalogConflict, type CatalogDocument, type CatalogStore } from '../../store/index.ts'
import type { Connector } from '../record/connector-shape.ts'
import { importOf } from './import-record.ts'
import type { ImportRuns } from './import-runs.ts'
import { nextRunAfter } from './import-schedule.ts'

interface SchedulerDeps {
  readonly catalogStore: CatalogStore
  readonly clock: Clock
  readonly find: (orgUid: string, uid: string) => Promise<Connector | undefined>
  readonly log: Log
  /** When the newest run of a connector began. */
  readonly newestRunOf: (connectorUid: string) => Promise<number | undefined>
  readonly runs: ImportRuns
}

interface Due {
  readonly orgUid: string
  readonly connectorUid: string
  readonly nextMs: number
  /** Runs that failed one after the other for reasons that may pass. */
  readonly attempts: number
  /** When a process has set about beginning it, and has not noted that it did. */
  readonly claimedMs?: number
}

const DUE_KIND = 'import_due'
const LOOK_EVERY_MS = 1_000
/** Looked at in a turn; what is due beyond has the next. */
const DUE_MAX = 50
const RETRY_FIRST_MS = 60_000
const RETRY_MS_MAX = 3_600_000
/** A run that found no room, or another at work, is tried again after this. */
const BUSY_MS = 30_000
/** After this time, another process may start a run whose process was killed. */
const CLAIM_MS = 30_000

/** The schedules of all imports. */
export class ImportScheduler {
  readonly #deps: SchedulerDeps
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> = Promise.resolve()
  /** Looks that are under way or wait for the one before. */
  #looks = 0
  /** Whether the last look failed: an outage is reported once. */
  #isTroubled = false
  #isClosed = false

  constructor(deps: SchedulerDeps) {
    this.#deps = deps
  }

  /** Looks from time to time until closed. */
  start(): void {
    // A look may take longer than the time between two: none waits behind it.
    this.#timer = setInterval(() => {
      if (this.#looks === 0) void this.look()
    }, LOOK_EVERY_MS)
    this.#timer.unref()
  }

  /** Begins what is due; resolves when all of it has begun. */
  look(): Promise<void> {
    this.#looks += 1
    this.#looking = this.#looking.then(async () => {
      try {
        if (!this.#isClosed) await this.#beginDue()
        this.#isTroubled = false
      } catch (error) {
        if (!this.#isTroubled) {
          this.#deps.log.error({ error }, 'could not check scheduled imports, retrying')
        }
        this.#isTroubled = true
      }
      this.#looks -= 1
    })
    return this.#looking
  }

  /** Notes when a connector that was saved is due; one that is not scheduled is not. */
  async follow(connector: Connector): Promise<void> {
    const { clock } = this.#deps
    const { orgUid, uid: connectorUid, connType, isEnabled } = connector
    const schedule = connType === 'DB_IMPORT' && isEnabled ? importOf(connector).schedule : null
    const next = schedule === null ? undefined : await nextRunAfter(schedule, clock.now())
    if (next === undefined) await this.forget(connectorUid)
    else await this.#put({ orgUid, connectorUid, nextMs: next, attempts: 0 }, 'any')
  }

  /** As `follow` where nothing is noted: a stop has come between a save and that. */
  async followIfUnknown(connector: Connector): Promise<void> {
    if (connector.connType !== 'DB_IMPORT') return
    const noted = await this.#deps.catalogStore.get(keyOf(connector.uid))
    if (noted === undefined) await this.follow(connector)
  }

  /** When a connector is due; undefined where it is not scheduled. */
  async nextRunOf(connectorUid: string): Promise<number | undefined> {
    const noted = await this.#deps.catalogStore.get(keyOf(connectorUid))
    return (noted?.body as Due | undefined)?.nextMs
  }

  /** Forgets a connector that is gone or not scheduled any more. */
  async forget(connectorUid: string): Promise<void> {
    const gone = { op: 'delete', ...keyOf(connectorUid), expectedRevision: 'any' } as const
    await this.#deps.catalogStore.commit([gone])
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    await this.#looking
  }

  async #beginDue(): Promise<void> {
    const { catalogStore, clock, runs } = this.#deps
    const query = { orgUid: '', kind: DUE_KIND, start: 0, limit: DUE_MAX }
    const { documents } = await catalogStore.list(query)
    for (const document of documents) {
      const due = document.body as unknown as Due
      if (due.nextMs > clock.now() || !runs.hasRoom) return
      await this.#beginOne(due, document)
    }
  }

  async #beginOne(due: Due, { revision }: CatalogDocument): Promise<void> {
    const { clock, find, log, runs } = this.#deps
    const connector = await find(due.orgUid, due.connectorUid)
    const schedule =
      connector?.connType === 'DB_IMPORT' && connector.isEnabled
        ? importOf(connector).schedule
        : null
    if (connector === undefined || schedule === null) return await this.forget(due.connectorUid)
    const now = clock.now()
    const next = await nextRunAfter(schedule, now)
    if (next === undefined) return await this.forget(due.connectorUid)
    if (!(await this.#claim(due, { next, revision }))) return
    try {
      const { done } = await runs.start(connector, 'SCHEDULE')
      await this.#moveOn(due, next)
      void done
        .then((end) => this.#noteEnd(due, end))
        .catch((error: unknown) =>
          log.error({ error }, 'could not store the next run of an import'),
        )
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      // It still runs, or there is no room: soon again, once.
      await this.#moveOn(due, Math.min(next, now + BUSY_MS))
    }
  }

  /**
   * Sets about beginning what is due: of several processes one may. Where another has done so before and was killed, its run
   * may have begun: then there is nothing to begin.
   */
  async #claim(
    due: Due,
    { next, revision }: { readonly next: number; readonly revision: number },
  ): Promise<boolean> {
    const { clock, newestRunOf } = this.#deps
    const { claimedMs } = due
    const newest = claimedMs === undefined ? undefined : await newestRunOf(due.connectorUid)
    const hasBegun = claimedMs !== undefined && newest !== undefined && newest >= claimedMs
    const now = clock.now()
    try {
      if (hasBegun) await this.#put(unclaimed({ ...due, nextMs: next }), revision)
      else
        await this.#put(
          { ...due, nextMs: Math.min(next, now + CLAIM_MS), claimedMs: now },
          revision,
        )
      return !hasBegun
    } catch (error) {
      // Another process has it, or it was saved again.
      if (error instanceof CatalogConflict) return false
      throw error
    }
  }

  /** Notes when it is due next, unless it was saved since it was claimed. */
  async #moveOn(due: Due, nextMs: number): Promise<void> {
    const found = await this.#deps.catalogStore.get(keyOf(due.connectorUid))
    if ((found?.body as Due | undefined)?.claimedMs === undefined || found === undefined) return
    try {
      await this.#put(unclaimed({ ...due, nextMs }), found.revision)
    } catch (error) {
      if (!(error instanceof CatalogConflict)) throw error
    }
  }

  /** A run that failed for a reason that may pass is tried again before its time, later each time. */
  async #noteEnd(
    due: Due,
    end: { readonly status: string; readonly isTransient: boolean },
  ): Promise<void> {
    const { catalogStore, clock } = this.#deps
    const found = await catalogStore.get(keyOf(due.connectorUid))
    if (found === undefined || this.#isClosed) return
    const noted = found.body as unknown as Due
    const attempts = end.status === 'FAILED' && end.isTransient ? due.attempts + 1 : 0
    const retryMs = clock.now() + retryAfterMs(attempts)
    const nextMs = attempts === 0 ? noted.nextMs : Math.min(noted.nextMs, retryMs)
    if (nextMs === noted.nextMs && attempts === noted.attempts) return
    try {
      await this.#put({ ...noted, nextMs, attempts }, found.revision)
    } catch (error) {
      if (!(error instanceof CatalogConflict)) throw error
    }
  }

  async #put(due: Due, expectedRevision: number | 'any'): Promise<void> {
    const listKey = timeKey(epochMs(due.nextMs))
    const put = { op: 'put', ...keyOf(due.connectorUid), listKey, expectedRevision } as const
    await this.#deps.catalogStore.commit([{ ...put, body: { ...due } }])
  }
}

function unclaimed({ claimedMs: _, ...due }: Due): Due {
  return due
}

/** Delay before the next try, after `attempts` failures. */
function retryAfterMs(attempts: number): number {
  return Math.min(RETRY_FIRST_MS * 2 ** Math.min(attempts - 1, 20), RETRY_MS_MAX)
}

function keyOf(connectorUid: string): { orgUid: string; kind: string; uid: string } {
  return { orgUid: '', kind: DUE_KIND, uid: connectorUid }
}

/** Texts in the order of their times. */
function timeKey(time: EpochMs): string {
  return String(time).padStart(16, '0')
}
