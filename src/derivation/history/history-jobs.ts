import { type Principal, requirePermit } from '../../access/index.ts'
import {
  type Clock,
  EARLIEST_TIME,
  type EpochMs,
  invariant,
  newUid,
  Refusal,
  refuse,
  TIME_END,
} from '../../base/index.ts'
import { type Author, announceChange, planChange, type StreamIndex } from '../../catalog/index.ts'
import { refuseUnknown } from '../../catalog/record/index.ts'
import type { PutDocument, StreamHandle } from '../../store/index.ts'
import { parseTime, timeRuleFor } from '../../time/index.ts'
import type { ComponentLocks } from '../component-locks.ts'
import { beginJob, type HistoryJob, type JobBook, type JobRecord, showJob } from './job-book.ts'

/** Jobs that work at the same time, of different organizations: they share one thread with the calls. */
const WORKING_MAX = 4
/** Jobs of one organization that are not over: nobody needs more, and each is remembered. */
const UNFINISHED_MAX = 20
/** How often progress is written, and the lock renewed; well below the time that it lasts. */
const KEEP_EVERY_MS = 2_000
const RENEW_EVERY_MS = 15_000
/** How often is looked for jobs of processes that have gone. */
const RESUME_EVERY_MS = 30_000
/** How soon a component that another process holds is asked for again. */
const RETRY_MS = 1_000

/** How a job that works reports its progress, and learns whether it may go on. */
export interface JobControl {
  /** Whether it has to end: it was cancelled, or the service stops. */
  readonly isOver: boolean
  /** Everything before `at` is through; false when it has to end. */
  report(progress: { at: number; done: number; total: number }): Promise<boolean>
  /** Changes the job, durably; false when it has to end. */
  keep(changes: Partial<HistoryJob>): Promise<boolean>
}

/** What jobs do. */
export interface HistoryWork {
  /** Refuses a stream that cannot be derived. */
  check(handle: StreamHandle): Promise<void>
  /** Derives a span of a stream from `job.at` on; refuses or throws when that cannot be. */
  run(handle: StreamHandle, job: HistoryJob, control: JobControl): Promise<void>
}

/** What is done by the kind of job. */
export type JobWorks = { readonly derive: HistoryWork } & Readonly<
  Partial<Record<HistoryJob['kind'], HistoryWork>>
>

interface HistoryDeps {
  readonly book: JobBook
  readonly clock: Clock
  readonly index: StreamIndex
  readonly locks: ComponentLocks
  /** By the kind of job. */
  readonly works: JobWorks
  readonly onFailure: (error: unknown) => void
  /** Whether other processes run jobs of the same book. */
  readonly isShared?: boolean
}

/** A job that is not over. */
interface Unfinished {
  job: HistoryJob
  isCancelled: boolean
  isWorking: boolean
  /** Whether it has its component, and goes on. */
  isRunning: boolean
  keptAt: number
  renewedAt: number
  /** Resolves when it is over, or left for the next start. */
  readonly over: PromiseWithResolvers<void>
}

/** Derives over history in the background, when somebody asks for it. */
export class HistoryJobs {
  readonly #deps: HistoryDeps
  readonly #unfinished = new Map<string, Unfinished>()
  #retry: NodeJS.Timeout | undefined
  #resuming: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(deps: HistoryDeps) {
    this.#deps = deps
  }

  /** How many jobs are not over. */
  get unfinishedCount(): number {
    return this.#unfinished.size
  }

  /**
   * Resumes the jobs that the last process left. With a shared catalog it also looks for jobs that other processes
   * leave. Each job waits until its component is free.
   */
  async resume(): Promise<void> {
    for (const job of await this.#deps.book.findRunning()) {
      if (!this.#unfinished.has(job.uid)) this.#enqueue(job)
    }
    this.#resumeLater()
  }

  #resumeLater(): void {
    if (this.#deps.isShared !== true || this.#isClosed) return
    const again = () => this.resume().catch((error) => this.#failResuming(error))
    this.#resuming = setTimeout(() => void again(), RESUME_EVERY_MS).unref()
  }

  #failResuming(error: unknown): void {
    this.#deps.onFailure(error)
    this.#resumeLater()
  }

  /** Begins to derive a span of a derived stream; answers at once. */
  async start(
    author: Author,
    path: { readonly componentUid: string; readonly uid: string },
    input: unknown,
  ): Promise<JobRecord> {
    const { clock, works } = this.#deps
    const { componentUid, uid: streamUid } = path
    requirePermit(author, `component/${componentUid}/stream/${streamUid}`, 'POST')
    const span = readSpan(input)
    await works.derive.check(this.#requireStream(author.orgUid, componentUid, streamUid))
    const { orgUid } = author
    const about = { kind: 'derive', orgUid, componentUid, streamUid, ...span } as const
    const job = beginJob({ uid: newUid(), start: clock.now(), ...about })
    const change = { kind: 'job', verb: 'started', uid: job.uid, detail: `stream ${streamUid}` }
    return await this.begin(job, planChange(author, change))
  }

  /** Begins a job, in one commit with the audit entries of its start. The caller has checked permissions. */
  async begin(job: HistoryJob, entries: readonly PutDocument[]): Promise<JobRecord> {
    const { book } = this.#deps
    const { orgUid } = job
    const ofOrg = [...this.#unfinished.values()].filter(({ job }) => job.orgUid === orgUid)
    if (ofOrg.length >= UNFINISHED_MAX) {
      const what = `Cannot start: this organization has ${UNFINISHED_MAX} unfinished jobs`
      refuse('conflict', {
        what: `${what}. Wait for one, or cancel one with DELETE /api/job/{uid}`,
      })
    }
    // Counted before it is written, so that calls at the same time do not pass the limit together.
    const unfinished = this.#add(job)
    try {
      await book.write(job, entries)
    } catch (error) {
      this.#drop(unfinished)
      throw error
    }
    await book.prune(orgUid).catch(this.#deps.onFailure)
    this.#next()
    return showJob(job)
  }

  /** One job of the caller's organization. */
  async get(principal: Principal, uid: string): Promise<JobRecord> {
    requirePermit(principal, `job/${uid}`, 'GET')
    return showJob(await this.#require(principal.orgUid, uid))
  }

  /** The jobs of the caller's organization that it may GET, those that began last first. */
  async list(
    principal: Principal,
    page: { readonly start: number; readonly limit: number },
  ): Promise<{ records: JobRecord[]; totalCount: number }> {
    requirePermit(principal, 'job', 'GET')
    const { records, totalCount } = await this.#deps.book.list(principal, page)
    const shown = records.map((job) => showJob(this.#working(job.uid) ?? job))
    return { records: shown, totalCount }
  }

  /** A job of the book as this process knows it. */
  current(job: HistoryJob): HistoryJob {
    return this.#working(job.uid) ?? job
  }

  /** Ends a job where it stands, and waits for that; one that is over stays as it is. */
  async cancel(author: Author, uid: string): Promise<JobRecord> {
    requirePermit(author, `job/${uid}`, 'DELETE')
    const job = await this.#require(author.orgUid, uid)
    if (job.status === 'RUNNING') {
      const detail = `stream ${job.streamUid}`
      await announceChange(author, { kind: 'job', verb: 'cancelled', uid, detail })
    }
    const unfinished = this.#unfinished.get(uid)
    if (unfinished === undefined) return showJob(await this.#cancelRemotely(job))
    unfinished.isCancelled = true
    if (!unfinished.isWorking) await this.#end(unfinished, 'CANCELLED', '')
    await unfinished.over.promise
    return showJob(await this.#require(author.orgUid, uid))
  }

  /** Says in the book that a job of another process is cancelled, where that looks before it keeps how far it is. */
  async #cancelRemotely(job: HistoryJob): Promise<HistoryJob> {
    if (job.status !== 'RUNNING') return job
    const { book, clock } = this.#deps
    return await book.writeRunning({ ...job, status: 'CANCELLED', end: clock.now() })
  }

  /** Ends those that work; the next start goes on with them. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#retry)
    clearTimeout(this.#resuming)
    const working = [...this.#unfinished.values()].filter(({ isWorking }) => isWorking)
    await Promise.all(working.map(({ over }) => over.promise))
  }

  #requireStream(orgUid: string, componentUid: string, uid: string): StreamHandle {
    const { index } = this.#deps
    const handle = index.streamByUid(orgUid, uid)
    if (handle !== 0 && index.componentOf(handle).uid === componentUid) return handle
    return refuseUnknown('stream', uid)
  }

  async #require(orgUid: string, uid: string): Promise<HistoryJob> {
    const running = this.#working(uid)
    if (running?.orgUid === orgUid) return running
    const job = await this.#deps.book.find(orgUid, uid)
    return job ?? refuse('not_found', { what: `Cannot find job "${uid.slice(0, 60)}"` })
  }

  /** A job that this process works on: the book has the state of others. */
  #working(uid: string): HistoryJob | undefined {
    const one = this.#unfinished.get(uid)
    return one?.isRunning === true || this.#deps.isShared !== true ? one?.job : undefined
  }

  #enqueue(job: HistoryJob): void {
    this.#add(job)
    this.#next()
  }

  #add(job: HistoryJob): Unfinished {
    const over = Promise.withResolvers<void>()
    const keptAt = this.#deps.clock.elapsed()
    const times = { keptAt, renewedAt: keptAt }
    const unfinished = {
      job,
      isCancelled: false,
      isWorking: false,
      isRunning: false,
      ...times,
      over,
    }
    this.#unfinished.set(job.uid, unfinished)
    return unfinished
  }

  #drop({ job, over }: Unfinished): void {
    this.#unfinished.delete(job.uid)
    over.resolve()
  }

  /** Lets the next ones work: in their order, one of an organization at a time. */
  #next(): void {
    const working = [...this.#unfinished.values()].filter(({ isWorking }) => isWorking)
    const orgs = new Set(working.map(({ job }) => job.orgUid))
    for (const one of this.#unfinished.values()) {
      if (this.#isClosed || orgs.size >= WORKING_MAX) return
      if (one.isWorking || one.isCancelled || orgs.has(one.job.orgUid)) continue
      orgs.add(one.job.orgUid)
      one.isWorking = true
      void this.#work(one).catch(this.#deps.onFailure)
    }
  }

  async #work(one: Unfinished): Promise<void> {
    const { locks } = this.#deps
    const { componentUid } = one.job
    try {
      if (!(await locks.lock(componentUid))) return await this.#postpone(one)
      try {
        one.isRunning = await this.#isToRun(one)
        if (one.isRunning) await this.#run(one)
        else this.#drop(one)
      } finally {
        await locks.unlock(componentUid)
      }
    } catch (error) {
      this.#deps.onFailure(error)
      this.#drop(one)
    }
    this.#next()
  }

  /** Lets a job wait for its component. */
  async #postpone(one: Unfinished): Promise<void> {
    one.isWorking = false
    if (one.isCancelled) await this.#end(one, 'CANCELLED', '')
    else if (this.#isClosed) this.#drop(one)
    else this.#retryLater()
  }

  /** Takes over how far another process has come with a job; false when it is over. */
  async #isToRun(one: Unfinished): Promise<boolean> {
    const { orgUid, uid, at } = one.job
    const kept = await this.#deps.book.find(orgUid, uid)
    if (kept?.status !== 'RUNNING') return false
    if (kept.at >= at) one.job = kept
    return true
  }

  async #run(one: Unfinished): Promise<void> {
    const { index, works } = this.#deps
    const { kind, orgUid, componentUid, streamUid } = one.job
    try {
      const handle = index.streamByUid(orgUid, streamUid)
      if (handle === 0 || index.componentOf(handle).uid !== componentUid) {
        return await this.#end(one, 'FAILED', 'The stream was deleted')
      }
      const work = works[kind]
      invariant(work !== undefined, `nobody does jobs of kind ${kind}`)
      await work.run(handle, one.job, this.#controlOf(one))
    } catch (error) {
      if (this.#isClosed) return await this.#leave(one)
      if (!(error instanceof Refusal)) this.#deps.onFailure(error)
      const reason =
        error instanceof Refusal ? error.message : 'Internal error. See the log of the service'
      return await this.#end(one, 'FAILED', reason)
    }
    if (one.isCancelled) return await this.#end(one, 'CANCELLED', '')
    if (this.#isClosed) return await this.#leave(one)
    one.job = { ...one.job, done: one.job.total }
    await this.#end(one, 'DONE', '')
  }

  #controlOf(one: Unfinished): JobControl {
    const isOver = () => one.isCancelled || this.#isClosed
    const write = async () => {
      one.keptAt = this.#deps.clock.elapsed()
      const kept = await this.#deps.book.writeRunning(one.job)
      if (kept.status === 'CANCELLED') one.isCancelled = true
    }
    return {
      get isOver() {
        return isOver()
      },
      report: async (progress) => {
        one.job = { ...one.job, ...progress }
        if (this.#deps.clock.elapsed() - one.keptAt >= KEEP_EVERY_MS) await write()
        await this.#renew(one)
        return !isOver()
      },
      keep: async (changes) => {
        one.job = { ...one.job, ...changes }
        await write()
        await this.#renew(one)
        return !isOver()
      },
    }
  }

  /** Keeps the lock of the component; refuses when another process has taken it. */
  async #renew(one: Unfinished): Promise<void> {
    const { clock, locks } = this.#deps
    const elapsed = clock.elapsed()
    if (elapsed - one.renewedAt < RENEW_EVERY_MS) return
    one.renewedAt = elapsed
    const isHeld = await locks.renew(one.job.componentUid)
    if (!isHeld) refuse('conflict', { what: 'Another process is working on this component' })
  }

  async #end(one: Unfinished, status: HistoryJob['status'], message: string): Promise<void> {
    const { book, clock } = this.#deps
    one.job = { ...one.job, status, message, end: clock.now() }
    await book.writeRunning(one.job).finally(() => this.#drop(one))
  }

  /** Keeps how far it is, for the next start. */
  async #leave(one: Unfinished): Promise<void> {
    await this.#deps.book.writeRunning(one.job).finally(() => this.#drop(one))
  }

  #retryLater(): void {
    clearTimeout(this.#retry)
    if (this.#isClosed) return
    this.#retry = setTimeout(() => this.#next(), RETRY_MS).unref()
  }
}

/** The span of a job: all time where nothing is said. */
function readSpan(input: unknown): { from: EpochMs; until: EpochMs } {
  if (input !== undefined && input !== null && !isObject(input)) {
    refuse('bad_input', { what: 'The body must be an object such as {"from":0,"until":1}' })
  }
  const fields = isObject(input) ? input : {}
  // A name that is misspelt would derive all there is.
  const stranger = Object.keys(fields).find((name) => name !== 'from' && name !== 'until')
  if (stranger !== undefined) {
    const what = `Unknown field ${JSON.stringify(stranger.slice(0, 64))}. Use from and until`
    refuse('bad_input', { what })
  }
  const from = readTime('from', fields.from, EARLIEST_TIME)
  const until = readTime('until', fields.until, TIME_END)
  if (from >= until) refuse('bad_input', { what: 'from must be before until' })
  return { from, until }
}

function isObject(input: unknown): input is Readonly<Record<string, unknown>> {
  return typeof input === 'object' && input !== null && !Array.isArray(input)
}

function readTime(name: string, value: unknown, otherwise: EpochMs): EpochMs {
  if (value === undefined || value === null) return otherwise
  const time = typeof value === 'string' ? parseTime(value) : value
  if (typeof time !== 'number' || !Number.isSafeInteger(time)) {
    const text = typeof value === 'string' ? value : ''
    return refuse('bad_input', { what: `${name} ${timeRuleFor(text)}` })
  }
  return Math.min(Math.max(time, EARLIEST_TIME), TIME_END) as EpochMs
}
