/**
 * Which query runs when. Each organization has a few threads at once, and the last threads are kept for organizations
 * without a running query: the first query of an organization starts at once, whatever others run.
 */
import { availableParallelism } from 'node:os'
import { type MemoryBudget, type MemoryShare, refusal } from '../../base/index.ts'
import { PROMQL_SAMPLES_MAX, PromqlError } from '../../promql/plain.ts'
import type { QueryBounds, QueryJob } from './query-messages.ts'
import { QueryThread, type ServedSeries, type TestTexts } from './query-thread.ts'

/** Threads for the queries of one organization. */
const THREADS_PER_ORGANIZATION = Math.min(8, Math.max(2, availableParallelism() - 1))

/** Threads that only organizations without a running query get. An idle thread is ended after a minute. */
const THREADS_KEPT = 6
const THREADS_MAX = THREADS_PER_ORGANIZATION + THREADS_KEPT

/** Queries of one organization that wait: dashboards of some dozen people. */
const WAITING_PER_ORGANIZATION_MAX = 1_000
const WAITING_MAX = 5_000

const IDLE_MS_MAX = 60_000
const RETRY_AFTER_SECONDS = 5

/** A sample in memory: its time and value. */
export const SAMPLE_BYTES = 16

/** One query may use a part of what all calls may. */
const SHARE_PART = 1 / 2
const ANSWER_PART = 1 / 4
const ANSWER_BYTES_MAX = 256 * 1024 * 1024

/** The heap of a thread holds labels and lists, while samples lie outside of it. */
const HEAP_MB_MIN = 128
const HEAP_MB_MAX = 1_024

/** What runs, and for whom. */
interface QueryTask {
  readonly orgUid: string
  readonly job: QueryJob
  /** The latest time of `performance.now()` at which the query may still run. */
  readonly deadlineMs: number
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal
  /** Opens what the query reads; called when it begins. */
  readonly open: (parts: {
    readonly share: MemoryShare
    readonly testTexts: TestTexts
    /** Whether the query has ended. */
    readonly isOver: () => boolean
  }) => ServedSeries
}

interface WaitingTask extends QueryTask {
  readonly begin: (thread: QueryThread) => void
}

/** Runs queries in threads. */
export class QueryRuns {
  readonly #budget: MemoryBudget
  readonly #threads: QueryThread[] = []
  /** By organization, in the order in which they are served. */
  readonly #waiting = new Map<string, WaitingTask[]>()
  readonly #running = new Map<string, number>()
  #waitingCount = 0
  #idle: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(budget: MemoryBudget) {
    this.#budget = budget
  }

  /** Queries that run and that wait, for metrics. */
  get figures(): { readonly running: number; readonly waiting: number } {
    let running = 0
    for (const count of this.#running.values()) running += count
    return { running, waiting: this.#waitingCount }
  }

  /** Runs a job; resolves with the bytes of its answer. */
  run(task: QueryTask): Promise<Uint8Array> {
    const { orgUid, signal, deadlineMs } = task
    const waiting = this.#waiting.get(orgUid) ?? []
    const isFull =
      waiting.length >= WAITING_PER_ORGANIZATION_MAX || this.#waitingCount >= WAITING_MAX
    if (isFull || this.#isClosed)
      throw refusal('overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS })
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
    let thread: QueryThread | undefined
    let isOver = false
    const share = this.#budget.emptyShare()
    const end = (reason: 'timeout' | 'canceled') => {
      const place = thread === undefined ? 'query queue' : 'expression evaluation'
      const past = reason === 'timeout' ? 'timed out' : 'was canceled'
      const error = new PromqlError(reason, `query ${past} in ${place}`)
      if (thread === undefined) this.#forget(orgUid, waitingTask)
      else thread.stop(error, reason)
      reject(error)
    }
    const onAbort = () => end('canceled')
    const timer = setTimeout(() => end('timeout'), Math.max(0, deadlineMs - performance.now()))
    const waitingTask: WaitingTask = {
      ...task,
      begin: (taken) => {
        thread = taken
        const { job, open } = task
        const opened = (testTexts: TestTexts) => open({ share, testTexts, isOver: () => isOver })
        taken.run({ job, bounds: this.#bounds(), open: opened }).then(resolve, reject)
      },
    }
    signal.addEventListener('abort', onAbort, { once: true })
    this.#waiting.set(orgUid, [...waiting, waitingTask])
    this.#waitingCount += 1
    if (signal.aborted) onAbort()
    this.#next()
    return promise.finally(() => {
      isOver = true
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      share.release()
    })
  }

  /** Ends all threads. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#idle)
    await this.#closeThreads()
  }

  #bounds(): QueryBounds {
    const { shareBytesMax } = this.#budget
    const samplesMax = Math.floor((shareBytesMax * SHARE_PART) / SAMPLE_BYTES)
    return {
      samplesMax: Math.min(PROMQL_SAMPLES_MAX, samplesMax),
      answerBytesMax: Math.min(ANSWER_BYTES_MAX, Math.floor(shareBytesMax * ANSWER_PART)),
    }
  }

  #forget(orgUid: string, task: WaitingTask): void {
    const waiting = this.#waiting.get(orgUid) ?? []
    const left = waiting.filter((one) => one !== task)
    this.#waitingCount -= waiting.length - left.length
    if (left.length > 0) this.#waiting.set(orgUid, left)
    else this.#waiting.delete(orgUid)
  }

  /** Begins what may run. Organizations take turns. */
  #next(): void {
    let isBegun = false
    for (const [orgUid, [task]] of [...this.#waiting]) {
      if (!this.#mayRun(orgUid)) continue
      isBegun = true
      this.#forget(orgUid, task)
      // Those behind it are served after the other organizations.
      const rest = this.#waiting.get(orgUid)
      if (rest !== undefined) {
        this.#waiting.delete(orgUid)
        this.#waiting.set(orgUid, rest)
      }
      this.#running.set(orgUid, (this.#running.get(orgUid) ?? 0) + 1)
      task.begin(this.#takeThread(orgUid))
    }
    if (isBegun) this.#next()
  }

  #mayRun(orgUid: string): boolean {
    const { running } = this.figures
    const own = this.#running.get(orgUid) ?? 0
    if (own === 0) return running < THREADS_MAX
    return own < THREADS_PER_ORGANIZATION && running < THREADS_PER_ORGANIZATION
  }

  #takeThread(orgUid: string): QueryThread {
    clearTimeout(this.#idle)
    const idle = this.#threads.filter(({ isBusy }) => !isBusy)
    const known = idle.find(({ isStarted }) => isStarted) ?? idle[0]
    const thread = known ?? new QueryThread(this.#heapMb(), (owner) => this.#end(owner))
    if (known === undefined) this.#threads.push(thread)
    thread.owner = orgUid
    return thread
  }

  #heapMb(): number {
    const mb = (this.#budget.shareBytesMax * SHARE_PART) / (1024 * 1024)
    return Math.round(Math.min(HEAP_MB_MAX, Math.max(HEAP_MB_MIN, mb)))
  }

  /** A thread of an organization is free. */
  #end(orgUid: string): void {
    const running = (this.#running.get(orgUid) ?? 0) - 1
    if (running > 0) this.#running.set(orgUid, running)
    else this.#running.delete(orgUid)
    if (!this.#isClosed) this.#next()
    if (this.#running.size > 0 || this.#isClosed) return
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => void this.#closeThreads(), IDLE_MS_MAX).unref()
  }

  async #closeThreads(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()))
  }
}
