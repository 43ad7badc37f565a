/** Runs of imports: begun, watched, called off, and taken up again after a stop. */
import { setTimeout as pause } from 'node:timers/promises'
import { type Clock, type EpochMs, invariant, type Log, Refusal, refuse } from '../../base/index.ts'
import { HeldLease, type Lease, type PayloadStore, type RunOutcome } from '../../store/index.ts'
import { DatabaseFailure } from '../database/database-port.ts'
import type { Connector } from '../record/connector-shape.ts'
import { ResultFile } from '../result/result-file.ts'
import { cancelRemotely, findCalledOff, refuseStoring } from './called-off.ts'
import { ImportFigures } from './import-figures.ts'
import { readImportState } from './import-memory.ts'
import { importOf } from './import-record.ts'
import { type ImportWorkDeps, type WorkingRun, workImport } from './import-work.ts'

/** What runs are made with. */
interface ImportRunDeps extends ImportWorkDeps {
  readonly clock: Clock
  /** Who this process is among those that share the catalog. */
  readonly holder: string
  readonly log: Log
  readonly payloads: PayloadStore
}

/** How a run began. */
type RunTrigger = 'MANUAL' | 'SCHEDULE'

/** Why a run was ended from outside. */
class RunEnded extends Error {}

/** What came of a run, and whether a later one may fare better without anybody's doing. */
type RunEnd = RunOutcome & { readonly isTransient: boolean }

/** Which run it is. */
interface RunName {
  readonly uid: string
  readonly start: EpochMs
}

/** What a run has come to so far. */
interface RunningImport extends WorkingRun {
  readonly calling: AbortController
  readonly done: Promise<RunEnd>
  /** Whether its outcome is known: then the connector is free. */
  isEnding: boolean
}

/** Whose run is about to begin. */
type EnteringRun = Pick<Connector, 'orgUid' | 'uid'>

/** Progress of a run. */
type RunSoFar = RunName & Pick<RunningImport, 'rowsFetched' | 'samples'>

/** What a run takes before it stores, altogether: as long as a night job. */
const RUN_MS_MAX = 4 * 3_600_000
/** A holder that died keeps others waiting this long. */
const LEASE_MS = 20_000
/** How often a process looks whether another one has called off a run of its own. */
const HEED_EVERY_MS = 5_000
/** How often what a stop has cut short asks for its lease, and how many times. */
const RESUME_EVERY_MS = 2_000
const RESUME_TRIES = 60
/** Imports of one process at a time: each has a runner, and a file. */
export const IMPORTS_RUNNING_MAX = 4
/** One organization leaves a place to others, however long its databases take. */
const IMPORTS_OF_ORG_MAX = IMPORTS_RUNNING_MAX - 1
const MESSAGE_LENGTH_MAX = 2_000
/** Runs without an outcome that are read at a time. */
const PAGE = 200

/** Starts, watches and ends the runs of imports; one at a time for each connector, in a cluster too. */
export class ImportRuns {
  readonly #deps: ImportRunDeps
  readonly #running = new Map<string, RunningImport>()
  /** Connectors whose run is about to begin, with their organizations. */
  readonly #entering = new Map<string, string>()
  readonly figures = new ImportFigures()
  #isClosed = false

  constructor(deps: ImportRunDeps) {
    this.#deps = deps
  }

  /** Whether another run may begin. */
  get hasRoom(): boolean {
    return !this.#isClosed && this.#running.size + this.#entering.size < IMPORTS_RUNNING_MAX
  }

  /** Whether another run of an organization may begin. */
  #hasRoomFor(orgUid: string): boolean {
    const running = [...this.#running.values()].map(({ key }) => key.orgUid)
    const own = [...running, ...this.#entering.values()].filter((uid) => uid === orgUid)
    return this.hasRoom && own.length < IMPORTS_OF_ORG_MAX
  }

  get runningCount(): number {
    return this.#running.size
  }

  /** What a connector runs at this moment in this process. */
  runningOf(connectorUid: string): RunSoFar | undefined {
    const running = this.#running.get(connectorUid)
    if (running === undefined) return undefined
    const { key, start, rowsFetched, samples } = running
    return { uid: key.uid, start, rowsFetched, samples }
  }

  /** Removes what runs have left on disk that nobody will go on with. */
  async sweep(): Promise<void> {
    const { folder, payloads } = this.#deps
    // Runs that nobody has taken up yet are among them: a start goes on before all are.
    const unsettled = new Set<string>()
    for (let after: string | undefined; ; ) {
      const keys = await payloads.listUnsettled(after, PAGE)
      if (keys.length === 0) break
      for (const { uid } of keys) unsettled.add(uid)
      after = keys[keys.length - 1].uid
    }
    const isRunning = (runUid: string) =>
      [...this.#running.values()].some(({ key }) => key.uid === runUid)
    await ResultFile.removeOthers(folder, (uid) => unsettled.has(uid) || isRunning(uid))
    await this.#removeSettled()
  }

  /** Of a run that has its outcome a stop may have left the result. */
  async #removeSettled(): Promise<void> {
    const { payloads, results } = this.#deps
    if (results === undefined) return
    for await (const { connectorUid, uid } of results.list()) {
      const run = await payloads.get(connectorUid, uid)
      if (run === undefined || run.outcome !== undefined) await results.remove(uid)
    }
  }

  async #removeResult(runUid: string): Promise<void> {
    await ResultFile.removeOf(this.#deps.folder, runUid)
    await this.#deps.results?.remove(runUid)
  }

  /** Begins a run; its record is durable when it resolves, `done` resolves to the outcome. */
  async start(
    connector: Connector,
    trigger: RunTrigger,
  ): Promise<{ readonly uid: string; readonly start: EpochMs; readonly done: Promise<RunEnd> }> {
    const { clock, payloads } = this.#deps
    const { orgUid, uid: connectorUid } = connector
    const held = await this.#enter(connector)
    try {
      const time = clock.now()
      const put = payloads.put({
        orgUid,
        connectorUid,
        time,
        method: trigger,
        query: '',
        body: null,
      })
      await put.landed
      const run = { uid: put.uid, start: time }
      const { done } = this.#begin(connector, run, { held, isResumed: false })
      return { ...run, done }
    } catch (error) {
      await this.#leave(connectorUid, held)
      throw error
    }
  }

  /** Goes on with what a stop has cut short, with the time that it had; resolves when it has begun. */
  async resume(connector: Connector, run: RunName): Promise<void> {
    const { catalogStore } = this.#deps
    const { orgUid, uid: connectorUid } = connector
    const state = await readImportState(catalogStore, { orgUid, connectorUid })
    // It went through, and only its outcome was not written.
    if (state.lastRunUid === run.uid) {
      const { lastRunMs: _ms, lastRunUid: _uid, ...counts } = state
      await this.#settleDone({ orgUid, connectorUid, ...run }, counts)
      return await this.#removeResult(run.uid)
    }
    const held = await this.#enterPatiently(connector)
    this.#begin(connector, run, { held, isResumed: true })
  }

  /**
   * Calls off what a connector runs, in whichever process; resolves when it is over. False when it runs nothing. One
   * that stores goes through with it, unless what it is for is gone.
   */
  async cancel(connectorUid: string, { isGone } = { isGone: false }): Promise<boolean> {
    const running = this.#running.get(connectorUid)
    if (running === undefined) return await cancelRemotely(this.#deps, connectorUid, isGone)
    if (running.isStoring && !isGone) refuseStoring()
    running.calling.abort(new RunEnded('The run was canceled'))
    await running.done
    return true
  }

  /** Calls off all runs without an outcome, so that the next start takes them up; waits for their end. */
  async close(): Promise<void> {
    this.#isClosed = true
    const running = [...this.#running.values()]
    for (const { calling } of running) calling.abort(new RunEnded('The service is stopping'))
    await Promise.allSettled(running.map(({ done }) => done))
  }

  async #enter({ orgUid, uid: connectorUid }: EnteringRun): Promise<HeldLease> {
    const { catalogStore, clock, holder } = this.#deps
    const before = this.#running.get(connectorUid)
    if (before?.isEnding === true) await before.done
    if (this.#isClosed) refuse('shutting_down', { retryAfterSeconds: 5 })
    // A lease that this process holds would be given to it once more.
    if (this.#running.has(connectorUid) || this.#entering.has(connectorUid)) refuseRunning()
    if (!this.#hasRoomFor(orgUid)) refuse('rate_limited', { retryAfterSeconds: 30 })
    this.#entering.set(connectorUid, orgUid)
    try {
      const name = `import ${connectorUid}`
      const terms = { catalog: catalogStore, clock, holder, name, ttlMs: LEASE_MS }
      const held = new HeldLease(terms)
      if (!(await held.renew())) refuseRunning()
      return held
    } catch (error) {
      this.#entering.delete(connectorUid)
      throw error
    }
  }

  /** Who was stopped still holds its lease for a while. */
  async #enterPatiently(connector: EnteringRun): Promise<HeldLease> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#enter(connector)
      } catch (error) {
        if (!(error instanceof Refusal) || tries >= RESUME_TRIES || this.#isClosed) throw error
      }
      await pause(RESUME_EVERY_MS, undefined, { ref: false })
    }
  }

  async #settleDone(
    { start, ...key }: RunName & { readonly orgUid: string; readonly connectorUid: string },
    counts: Pick<RunOutcome, 'rowsFetched' | 'rowsIngested' | 'rowsSkipped' | 'samples'>,
  ): Promise<void> {
    const { clock, payloads } = this.#deps
    const outcome = { start, end: clock.now(), status: 'DONE', ...counts, message: '' } as const
    await payloads.settle(key, outcome)
  }

  async #leave(connectorUid: string, held: HeldLease): Promise<void> {
    try {
      await held.release()
    } finally {
      this.#entering.delete(connectorUid)
      this.#running.delete(connectorUid)
    }
  }

  #begin(
    connector: Connector,
    { uid, start }: RunName,
    { held, isResumed }: { readonly held: HeldLease; readonly isResumed: boolean },
  ): RunningImport {
    const calling = new AbortController()
    const { promise: done, resolve } = Promise.withResolvers<RunEnd>()
    const key = { orgUid: connector.orgUid, connectorUid: connector.uid, uid }
    const running: RunningImport = {
      key,
      lease: heldLease(held),
      start,
      isResumed,
      signal: calling.signal,
      calling,
      done,
      // What an earlier process has begun may be stored in part: its work finds out.
      rowsFetched: 0,
      samples: 0,
      isStoring: isResumed,
      isEnding: false,
    }
    this.#running.set(connector.uid, running)
    this.#entering.delete(connector.uid)
    void this.#runToEnd(connector, running, held).then(resolve)
    return running
  }

  /** Never rejects: what went wrong is the outcome. */
  async #runToEnd(connector: Connector, running: RunningImport, held: HeldLease): Promise<RunEnd> {
    const { clock, log, payloads } = this.#deps
    const { key, start } = running
    const stopWatching = this.#watch(running, held)
    let outcome: RunOutcome
    let isTransient = false
    try {
      const counts = await workImport(this.#deps, importOf(connector), running)
      outcome = { start, end: clock.now(), status: 'DONE', ...counts, message: '' }
    } catch (error) {
      isTransient = !running.signal.aborted && mayPass(error)
      outcome = { ...failedOutcome(running, error), end: clock.now() }
      if (!isReported(error) && !running.signal.aborted) {
        log.error({ error, connector: connector.uid }, 'an import failed')
      }
    }
    stopWatching()
    running.isEnding = true
    try {
      // A run that a stop has ended has no outcome: the next start goes on with it.
      if (!this.#isClosed || outcome.status === 'DONE') {
        await payloads.settle(key, outcome)
        this.figures.note(outcome)
        await this.#removeResult(key.uid)
      }
    } catch (error) {
      log.warn({ error, run: key.uid }, 'could not store the result of an import')
    }
    await this.#leave(connector.uid, held).catch((error: unknown) => {
      log.warn({ error, run: key.uid }, 'the lease of an import was not released')
    })
    return { ...outcome, isTransient }
  }

  /** Ends a run that another process was asked to cancel. */
  async #heed(running: RunningImport): Promise<void> {
    const found = await findCalledOff(this.#deps.catalogStore, running.key)
    if (found === undefined || (running.isStoring && !found.isGone)) return
    running.calling.abort(new RunEnded('The run was canceled'))
  }

  /** Renews the lease of a run. Ends the run if the lease is lost or the run takes too long. Returns a function that stops this. */
  #watch(running: RunningImport, held: HeldLease): () => void {
    const { calling } = running
    held.keep(() => calling.abort(new RunEnded('Another process took over this run')))
    // What is not read is looked for the next time.
    const heeding = setInterval(() => void this.#heed(running).catch(() => {}), HEED_EVERY_MS)
    const limit = `The run took longer than ${RUN_MS_MAX / 3_600_000} hours`
    const tooLong = setTimeout(() => {
      if (!running.isStoring) calling.abort(new RunEnded(limit))
    }, RUN_MS_MAX)
    return () => {
      clearInterval(heeding)
      clearTimeout(tooLong)
    }
  }
}

/** The lease that a run was begun with: whatever holds a later one is another run. */
function heldLease({ lease }: HeldLease): Lease {
  invariant(lease !== undefined, 'a run begins without its lease')
  return lease
}

function refuseRunning(): never {
  refuse('conflict', {
    what: 'This connector is already running. Wait until it finishes, or cancel it',
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

function isReported(error: unknown): boolean {
  return error instanceof Refusal || error instanceof DatabaseFailure
}

/** A run that fails while it stores has stored a part, which it reports; before, nothing. */
function failedOutcome(running: RunningImport, error: unknown): Omit<RunOutcome, 'end'> {
  const { start, rowsFetched, samples, signal } = running
  const message = messageOf(signal.aborted ? signal.reason : error)
  const text = samples === 0 ? message : `${message} (${samples} samples of the run were stored)`
  const none = { rowsIngested: 0, rowsSkipped: 0 }
  return { start, status: 'FAILED', rowsFetched, ...none, samples, message: text }
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
  return 'Internal error. See the log of the service'
}
