import type { Static } from 'typebox'
import { type Principal, requirePermit } from '../../access/index.ts'
import { type Clock, type Log, refuse } from '../../base/index.ts'
import { type Author, announceChange, quoted } from '../../catalog/index.ts'
import { shapeCheck } from '../../catalog/shape/index.ts'
import type { CatalogStore, KeptPayload, PayloadStore, RunOutcome } from '../../store/index.ts'
import { CONNECTOR_KIND } from '../record/connector-rules.ts'
import type { Connector } from '../record/connector-shape.ts'
import type { Connectors } from '../record/connectors.ts'
import { forgetImport } from './import-memory.ts'
import { ImportRuns } from './import-runs.ts'
import { checkSchedule, type ScheduleCheck, scheduleCheckShape } from './import-schedule.ts'
import { ImportScheduler } from './import-scheduler.ts'

type RunDeps = ConstructorParameters<typeof ImportRuns>[0]

interface ImportsDeps extends RunDeps {
  readonly catalogStore: CatalogStore
  readonly clock: Clock
  readonly connectors: Connectors
  readonly listOrganizations: () => readonly { readonly uid: string }[]
  readonly log: Log
  readonly payloads: PayloadStore
}

const checkShape = shapeCheck('', scheduleCheckShape)

/** Connectors that are read at a time. */
const PAGE = 200

/** A run that has begun, as callers see it. */
type BegunRun = Omit<RunOutcome, 'status' | 'end'> & {
  readonly uid: string
  readonly end: null
  readonly status: 'RUNNING'
}

/** Imports: run, cancelled, scheduled, each call checked against the caller's rights. */
export class Imports {
  readonly #deps: ImportsDeps
  readonly #runs: ImportRuns
  readonly #scheduler: ImportScheduler
  /** Runs that are being taken up. */
  readonly #resuming = new Set<string>()
  #following: Promise<void> | undefined
  #sweeping: Promise<void> | undefined
  #isClosed = false

  constructor(deps: ImportsDeps) {
    const { catalogStore, clock, connectors, log } = deps
    this.#deps = deps
    this.#runs = new ImportRuns(deps)
    const find = (orgUid: string, uid: string) => connectors.find(orgUid, uid)
    const newestRunOf = async (uid: string) => {
      const { payloads } = await deps.payloads.list(uid, { start: 0, limit: 1 })
      return payloads[0]?.time
    }
    this.#scheduler = new ImportScheduler({
      catalogStore,
      clock,
      find,
      log,
      newestRunOf,
      runs: this.#runs,
    })
    connectors.onChange({
      onSaved: (connector) => this.#scheduler.follow(connector),
      onDeleted: (connector) => this.#forget(connector),
      nextRunOf: (uid) => this.#scheduler.nextRunOf(uid),
    })
  }

  /** Begins to run imports when their schedules say so. */
  start(): void {
    const { log } = this.#deps
    this.#following = this.#followAll().catch((error: unknown) =>
      log.error({ error }, 'could not read schedules of imports'),
    )
    this.#sweeping = this.#runs
      .sweep()
      .catch((error: unknown) => log.warn({ error }, 'could not delete results of old imports'))
    this.#scheduler.start()
  }

  /** Begins a run. */
  async run(author: Author, uid: string): Promise<BegunRun> {
    const connector = await this.#deps.connectors.require(author, uid, 'POST')
    requireImport(connector)
    if (!connector.isEnabled) refuse('conflict', { what: 'This connector is disabled' })
    await announceRun(author, connector, 'started')
    const { uid: runUid, start } = await this.#runs.start(connector, 'MANUAL')
    const none = { rowsFetched: 0, rowsIngested: 0, rowsSkipped: 0, samples: 0, message: '' }
    return { uid: runUid, start, end: null, status: 'RUNNING', ...none }
  }

  /** Calls off the run of an import; resolves when it is over. */
  async cancel(author: Author, uid: string): Promise<void> {
    const connector = await this.#deps.connectors.require(author, uid, 'POST')
    requireImport(connector)
    await announceRun(author, connector, 'cancelled')
    if (await this.#runs.cancel(uid)) return
    refuse('not_found', { what: 'This connector is not running' })
  }

  /** Returns when a schedule that need not be saved would run, or the error in it. */
  async checkSchedule(principal: Principal, input: unknown): Promise<ScheduleCheck> {
    requirePermit(principal, CONNECTOR_KIND, 'GET')
    checkShape(input)
    const { schedule } = input as Static<typeof scheduleCheckShape>
    return await checkSchedule(schedule, this.#deps.clock.now())
  }

  /** What an import runs at this moment, and how far it is. */
  runningOf(
    connectorUid: string,
  ): { readonly uid: string; readonly rowsFetched: number; readonly samples: number } | undefined {
    return this.#runs.runningOf(connectorUid)
  }

  /** Resumes a run that a stop has cut short, beside all else; once, however often it is reported. */
  resume(connector: Connector, { uid, time }: Pick<KeptPayload, 'uid' | 'time'>): void {
    const { clock, log, payloads } = this.#deps
    if (this.#resuming.has(uid) || this.#runs.runningOf(connector.uid)?.uid === uid) return
    this.#resuming.add(uid)
    const resuming = this.#runs.resume(connector, { uid, start: time })
    const failing = resuming.catch(async (error: unknown) => {
      // A stop: the process that resumes it receives it again.
      if (this.#isClosed) return
      log.warn({ error, run: uid }, 'could not resume an interrupted import')
      const none = { rowsFetched: 0, rowsIngested: 0, rowsSkipped: 0, samples: 0 }
      const message = 'Interrupted by a stop of the service'
      const key = { orgUid: connector.orgUid, connectorUid: connector.uid, uid }
      await payloads
        .settle(key, { start: time, end: clock.now(), status: 'FAILED', ...none, message })
        .catch(() => {})
    })
    void failing.finally(() => this.#resuming.delete(uid))
  }

  /** Counts since the start, in Prometheus' text format. */
  metrics(): string {
    return this.#runs.figures.metrics(this.#runs.runningCount)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#following
    await this.#sweeping
    await this.#scheduler.close()
    await this.#runs.close()
  }

  /** A stop may have come between the save of a connector and the note of when it is due. */
  async #followAll(): Promise<void> {
    const { catalogStore, connectors, listOrganizations } = this.#deps
    for (const { uid: orgUid } of listOrganizations()) {
      for (let start = 0; !this.#isClosed; start += PAGE) {
        const query = { orgUid, kind: 'connector', start, limit: PAGE }
        const { documents } = await catalogStore.list(query)
        for (const { uid, body } of documents) {
          if (body.connType !== 'DB_IMPORT') continue
          const connector = await connectors.find(orgUid, uid)
          if (connector !== undefined) await this.#scheduler.followIfUnknown(connector)
        }
        if (documents.length < PAGE) break
      }
    }
  }

  async #forget({ orgUid, uid: connectorUid }: Pick<Connector, 'orgUid' | 'uid'>): Promise<void> {
    await this.#runs.cancel(connectorUid, { isGone: true })
    await this.#scheduler.forget(connectorUid)
    await forgetImport(this.#deps.catalogStore, { orgUid, connectorUid })
  }
}

async function announceRun(author: Author, { uid, id }: Connector, verb: string): Promise<void> {
  await announceChange(author, { kind: 'import', verb, uid, detail: quoted(id) })
}

function requireImport({ connType }: Connector): void {
  if (connType === 'DB_IMPORT') return
  refuse('conflict', {
    what: 'This connector runs when its URL is called. Only imports can be started manually',
  })
}
