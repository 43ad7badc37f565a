/** Runs of imports: rows are fetched from a database, Ingest SQL makes samples of them, which are stored as one put. */
import { setTimeout as pause } from 'node:timers/promises'
import { type Clock, type EpochMs, epochMs, type Log, Refusal, refuse } from '../../base/index.ts'
import type { GqlOutcome, GqlRuns } from '../../gql/index.ts'
import type {
  AssignedSpan,
  CatalogStore,
  Lease,
  PayloadKey,
  PayloadStore,
  RunOutcome,
} from '../../store/index.ts'
import type { Connections } from '../connection/connections.ts'
import { DatabaseFailure, type DatabaseLimits } from '../database/database-port.ts'
import type { Connector } from '../record/connector-shape.ts'
import { placeInProc, programOf } from '../run/connector-program.ts'
import type { PayloadRuns } from '../run/payload-runs.ts'
import { type ChangedRows, chooseChanged, type ImportedValues } from './changed-rows.ts'
import { keepImport, readImportedValues, readImportState } from './import-memory.ts'
import { type ImportConnector, importOf } from './import-record.ts'
import { ResultCsv } from './result-csv.ts'
import { RowSpool } from './row-spool.ts'

/** What runs are made with. */
interface ImportRunDeps {
  readonly catalogStore: CatalogStore
  readonly clock: Clock
  readonly connections: Pick<Connections, 'open'>
  /** Where results lie while they are made samples of. */
  readonly folder: string
  readonly gql: Pick<GqlRuns, 'run' | 'takesRows'>
  /** Who this process is among those that share the catalog. */
  readonly holder: string
  readonly log: Log
  readonly payloads: PayloadStore
  readonly users: Pick<PayloadRuns, 'principalOf'>
}

/** How a run began. */
type RunTrigger = 'MANUAL' | 'SCHEDULE'

/** Why a run was ended from outside. */
class RunEnded extends Error {}

/** What came of a run, and whether a later one may fare better without anybody's doing. */
type RunEnd = RunOutcome & { readonly isTransient: boolean }

/** What a run has come to so far. */
interface RunningImport {
  readonly uid: string
  readonly start: EpochMs
  /** Of one that a stop has cut short: what its samples were assigned. */
  readonly assigned?: readonly AssignedSpan[]
  rowsFetched: number
  readonly calling: AbortController
  readonly done: Promise<RunEnd>
}

/** What was fetched, as a text or as rows on disk, which are gone when it is disposed of. */
interface FetchedResult extends AsyncDisposable {
  readonly csv: string | undefined
  readonly spool: RowSpool | undefined
}

/** A statement may take long to give its first rows; a run altogether as long as a night job. */
const LIMITS: DatabaseLimits = { connectMs: 15_000, answerMs: 300_000 }
const RUN_MS_MAX = 4 * 3_600_000
/** A holder that died keeps others waiting this long. */
const LEASE_MS = 20_000
const RENEW_EVERY_MS = 5_000
/** How often what a stop has cut short asks for its lease, and how many times. */
const RESUME_EVERY_MS = 2_000
const RESUME_TRIES = 60
/** Imports of one process at a time: each holds its result. */
const RUNNING_MAX = 4
const MESSAGE_LENGTH_MAX = 2_000

/** Starts, watches and ends the runs of imports; one at a time for each connector, in a cluster too. */
export class ImportRuns {
  readonly #deps: ImportRunDeps
  readonly #running = new Map<string, RunningImport>()
  #isClosed = false

  constructor(deps: ImportRunDeps) {
    this.#deps = deps
  }

  /** Whether another run may begin. */
  get hasRoom(): boolean {
    return !this.#isClosed && this.#running.size < RUNNING_MAX
  }

  /** What a connector runs at this moment in this process. */
  runningOf(
    connectorUid: string,
  ): Pick<RunningImport, 'uid' | 'start' | 'rowsFetched'> | undefined {
    return this.#running.get(connectorUid)
  }

  /** Begins a run; its record is durable when it resolves, `done` tells what came of it. */
  async start(
    connector: Connector,
    trigger: RunTrigger,
  ): Promise<{ readonly uid: string; readonly start: EpochMs; readonly done: Promise<RunEnd> }> {
    const { clock, payloads } = this.#deps
    const { orgUid, uid: connectorUid } = connector
    const lease = await this.#enter(connectorUid)
    try {
      const time = clock.now()
      const put = payloads.put({
        ...{ orgUid, connectorUid, time, method: trigger, query: '', body: null },
      })
      await put.landed
      const { start, done } = this.#begin(connector, { uid: put.uid, start: time }, lease)
      return { uid: put.uid, start, done }
    } catch (error) {
      await this.#leave(connectorUid, lease)
      throw error
    }
  }

  /** Runs again what a stop has cut short, with the time that it had; resolves when it has begun. */
  async resume(
    connector: Connector,
    run: Pick<RunningImport, 'uid' | 'start' | 'assigned'>,
  ): Promise<void> {
    const { catalogStore, clock, payloads } = this.#deps
    const { orgUid, uid: connectorUid } = connector
    const state = await readImportState(catalogStore, { orgUid, connectorUid })
    if (state.lastRunUid === run.uid) {
      // It went through, and only its outcome was not written.
      const { lastRunMs: _ms, lastRunUid: _uid, ...counts } = state
      const outcome = {
        start: run.start,
        end: clock.now(),
        status: 'DONE',
        ...counts,
        message: '',
      } as const
      await payloads.settle({ orgUid, connectorUid, uid: run.uid }, outcome)
      return
    }
    for (let tries = 1; ; tries += 1) {
      try {
        this.#begin(connector, run, await this.#enter(connectorUid))
        return
      } catch (error) {
        // Who was stopped still holds its lease for a while.
        if (!(error instanceof Refusal) || tries >= RESUME_TRIES || this.#isClosed) throw error
      }
      await pause(RESUME_EVERY_MS, undefined, { ref: false })
    }
  }

  /** Calls off what a connector runs; resolves when it is over. False when it runs nothing here. */
  async cancel(connectorUid: string): Promise<boolean> {
    const running = this.#running.get(connectorUid)
    if (running === undefined) return false
    running.calling.abort(new RunEnded('The run was cancelled'))
    await running.done
    return true
  }

  /** Calls off all runs without an outcome, so that the next start takes them up; waits for their end. */
  async close(): Promise<void> {
    this.#isClosed = true
    const running = [...this.#running.values()]
    for (const { calling } of running) calling.abort(new RunEnded('The service stops'))
    await Promise.allSettled(running.map(({ done }) => done))
  }

  async #enter(connectorUid: string): Promise<Lease> {
    const { catalogStore, holder } = this.#deps
    if (this.#isClosed) refuse('shutting_down', { retryAfterSeconds: 5 })
    if (this.#running.has(connectorUid)) refuseRunning()
    if (!this.hasRoom) refuse('rate_limited', { retryAfterSeconds: 30 })
    const lease = await catalogStore.acquireLease(leaseName(connectorUid), holder, LEASE_MS)
    if (lease === undefined || this.#running.has(connectorUid)) refuseRunning()
    return lease
  }

  async #leave(connectorUid: string, lease: Lease): Promise<void> {
    this.#running.delete(connectorUid)
    await this.#deps.catalogStore.releaseLease(lease)
  }

  #begin(
    connector: Connector,
    run: Pick<RunningImport, 'uid' | 'start' | 'assigned'>,
    lease: Lease,
  ): RunningImport {
    const calling = new AbortController()
    const { promise: done, resolve } = Promise.withResolvers<RunEnd>()
    const running: RunningImport = { ...run, rowsFetched: 0, calling, done }
    this.#running.set(connector.uid, running)
    void this.#runToEnd(connector, running, lease).then(resolve)
    return running
  }

  /** Never rejects: what went wrong is the outcome. */
  async #runToEnd(connector: Connector, running: RunningImport, lease: Lease): Promise<RunEnd> {
    const { catalogStore, clock, holder, log, payloads } = this.#deps
    const { calling, start, uid } = running
    const renewing = setInterval(() => {
      const renewed = catalogStore.acquireLease(leaseName(connector.uid), holder, LEASE_MS)
      const lose = () => calling.abort(new RunEnded('Another process has taken this run over'))
      renewed.then((kept) => kept === undefined && lose()).catch(lose)
    }, RENEW_EVERY_MS)
    const limit = `The run took longer than ${RUN_MS_MAX / 3_600_000} hours`
    const tooLong = setTimeout(() => calling.abort(new RunEnded(limit)), RUN_MS_MAX)
    const key = { orgUid: connector.orgUid, connectorUid: connector.uid, uid }
    let outcome: RunOutcome
    let isTransient = false
    try {
      const counts = await this.#run(importOf(connector), running, key)
      outcome = { start, end: clock.now(), status: 'DONE', ...counts, message: '' }
    } catch (error) {
      const isTold = error instanceof Refusal || error instanceof DatabaseFailure
      if (!isTold && !calling.signal.aborted) {
        log.error({ error, connector: connector.uid }, 'an import failed')
      }
      isTransient = !calling.signal.aborted && mayPass(error)
      const { rowsFetched } = running
      const none = { rowsFetched, rowsIngested: 0, rowsSkipped: 0, samples: 0 }
      const message = messageOf(calling.signal.aborted ? calling.signal.reason : error)
      outcome = { start, end: clock.now(), status: 'FAILED', ...none, message }
    }
    clearInterval(renewing)
    clearTimeout(tooLong)
    try {
      // A run that a stop has ended has no outcome: the next start runs it again.
      if (!this.#isClosed || outcome.status === 'DONE') await payloads.settle(key, outcome)
      await this.#leave(connector.uid, lease)
    } catch (error) {
      log.warn({ error, run: uid }, 'the outcome of an import was not kept')
    }
    return { ...outcome, isTransient }
  }

  async #run(connector: ImportConnector, running: RunningImport, key: PayloadKey) {
    const { catalogStore } = this.#deps
    const { skipUnchangedRows } = connector
    await using result = await this.#fetchResult(connector, running)
    const state = await readImportState(catalogStore, key)
    const before: ImportedValues = skipUnchangedRows
      ? await readImportedValues(catalogStore, key)
      : new Map()
    let chosen: ChangedRows | undefined
    const { sampleCount } = await this.#ingest(connector, running, {
      ...{ result, lastRunMs: state.lastRunMs, key },
      choose: async (samples) => {
        chosen = await chooseChanged(samples, before, running.start)
        return skipUnchangedRows ? chosen.samples : samples
      },
    })
    const rowsAll = (chosen?.rowsIngested ?? 0) + (chosen?.rowsSkipped ?? 0)
    const rowsSkipped = skipUnchangedRows ? (chosen?.rowsSkipped ?? 0) : 0
    const { rowsFetched } = running
    const counts = {
      rowsFetched,
      rowsIngested: rowsAll - rowsSkipped,
      rowsSkipped,
      samples: sampleCount,
    }
    await keepImport(catalogStore, key, {
      state: { lastRunMs: running.start, lastRunUid: running.uid, ...counts },
      ...{ before, imported: skipUnchangedRows ? (chosen?.imported ?? new Map()) : new Map() },
    })
    return counts
  }

  /** The result of the external SQL: as rows on disk where Ingest SQL takes rows, else as one text. */
  async #fetchResult(connector: ImportConnector, running: RunningImport): Promise<FetchedResult> {
    const { connections, folder, gql } = this.#deps
    const { connection, externalSql, maxRows, orgUid } = connector
    const isText = !gql.takesRows(textOf(connector))
    const place = { orgUid, uid: connection.uid }
    const session = await connections.open(place, LIMITS, running.calling.signal)
    await using opened = new AsyncDisposableStack()
    const csv = isText ? new ResultCsv() : undefined
    const spool = isText ? undefined : await RowSpool.open(folder)
    if (spool !== undefined) opened.defer(() => spool.close())
    try {
      for await (const { columns, rows } of session.read(externalSql, maxRows)) {
        csv?.add(columns, rows)
        await spool?.add(rows)
        running.rowsFetched += rows.length
      }
    } finally {
      await session.close()
    }
    const closing = opened.move()
    return { csv: csv?.toString(), spool, [Symbol.asyncDispose]: () => closing.disposeAsync() }
  }

  async #ingest(
    connector: ImportConnector,
    running: RunningImport,
    given: {
      readonly result: FetchedResult
      readonly lastRunMs: number
      readonly key: PayloadKey
      readonly choose: NonNullable<Parameters<GqlRuns['run']>[0]['choose']>
    },
  ): Promise<GqlOutcome> {
    const { gql, payloads, users } = this.#deps
    const { id, orgUid, procs } = connector
    const { csv, spool } = given.result
    try {
      return await gql.run({
        ...textOf(connector),
        ...{ principal: await users.principalOf(connector), organizationUid: orgUid },
        ...{ now: epochMs(running.start), isDry: false },
        resultRows: spool === undefined ? undefined : () => spool.rows(),
        variables: new Map<string, string | bigint | null>([
          ['@JDBC_RESULT', csv ?? null],
          ['@LAST_RUN_DATE', BigInt(given.lastRunMs)],
          ['@CONNECTOR_ID', id],
        ]),
        renew: () => users.principalOf(connector),
        choose: given.choose,
        repeat: {
          ...{ earlier: running.assigned ?? [], isPast: running.assigned !== undefined },
          keep: (spans) => payloads.keepAssigned(given.key, spans),
        },
        signal: running.calling.signal,
      })
    } catch (error) {
      throw placeInProc(error, procs)
    }
  }
}

/** The text of a connector, under which it is kept compiled. */
function textOf({ procs, revision, uid }: ImportConnector) {
  const allows = { insert: true, stored: true }
  return { ...programOf(procs), allows, key: `${uid} ${revision}` }
}

function leaseName(connectorUid: string): string {
  return `import ${connectorUid}`
}

function refuseRunning(): never {
  refuse('conflict', {
    what: 'This connector runs at this moment: wait until it is over, or cancel it',
  })
}

/** Whether the same may go through later. */
function mayPass(error: unknown): boolean {
  if (error instanceof DatabaseFailure) {
    const passing = ['unknown_host', 'refused', 'unreachable', 'timeout', 'lost']
    return passing.includes(error.reason)
  }
  return !(error instanceof Refusal) || error.status >= 500 || error.status === 429
}

/** Why a run failed, for the one who wrote the connector. */
function messageOf(error: unknown): string {
  if (error instanceof RunEnded) return error.message
  if (error instanceof DatabaseFailure) {
    const { place, reason, message } = error
    const column = place?.column === undefined ? '' : `, column ${place.column}`
    const where = place === undefined ? '' : ` (line ${place.line}${column})`
    const what = reason === 'sql' ? `External SQL${where}: ${message}` : message
    return what.slice(0, MESSAGE_LENGTH_MAX)
  }
  if (error instanceof Refusal) return error.message.slice(0, MESSAGE_LENGTH_MAX)
  return 'Something failed on our side: see the log'
}
