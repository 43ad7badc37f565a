/**
 * The pool of runners: processes that can be killed, each with one call at a time. A call that takes too
 * long or too much, or whose runner dies, fails alone; another runner takes its place.
 */
import { type Clock, type Log, type Refusal, refusal } from '../../base/index.ts'
import { CallQueue } from '../../base/plain.ts'
import { FairShare, kindOf } from './fair-share.ts'
import { Runner } from './runner.ts'
import type { RunningCall } from './running-call.ts'
import { spawnRunner } from './spawn-runner.ts'
import {
  type RunKind,
  type SqlCall,
  SqlRunError,
  type SqlRunReason,
  type SqlRunSummary,
  UndeliveredCall,
} from './sql-call.ts'

/** What the operator sets. */
export interface SqlRunnerSettings {
  /** The most calls of a kind at a time; there may be one runner more. */
  readonly runnersMax: number
  /** How long a call may work. */
  readonly seconds: number
  /** What a runner may take beyond what it has when it starts. */
  readonly memoryMb: number
  /** For how long a caller may keep a runner waiting; a minute if unsaid. */
  readonly callerWaitMs?: number
}

/** Calls of a kind that wait for a runner. Their bodies are the caller's, who has counted them. */
const WAITING_MAX = { total: 2_000, perOwner: 1_000 }

/** A call that found no runner for so long finds none soon: who sent it will have given up. */
const WAITING_MS_MAX = 30_000

/** Memory grows by 300 MB/s at worst; more often would cost more than it saves. */
const LOOK_EVERY_MS = 100

/** A caller that takes rows slowly, or hands them over slowly, has a runner for so long at most. */
const CALLER_WAIT_MS_MAX = 60_000

/** A runner that nobody needs is ended after this; one stays. */
const IDLE_MS_MAX = 60_000

/** Shorter calls cannot have taken much memory. */
const HEAVY_RUN_MS = 20

const MB = 1024 * 1024

/** A runner that does not start in this time never will. */
const START_MS_MAX = 30_000

/** After a start that failed, the next is tried after this. */
const RESTART_AFTER_MS = 1_000

interface WaitingCall {
  readonly call: SqlCall
  readonly since: number
  readonly start: (run: Promise<SqlRunSummary>) => void
  readonly fail: (error: unknown) => void
}

/** Counts since the start. */
interface SqlRunFigures {
  readonly runners: number
  readonly busy: number
  readonly waiting: number
  /** Calls by how they ended. */
  readonly ended: Readonly<Record<'done' | 'refused' | SqlRunReason, number>>
}

/** Runs compiled GS SQL; processes are started when they are first needed. */
export class SqlRunners {
  readonly #settings: SqlRunnerSettings
  readonly #clock: Clock
  readonly #log: Log
  readonly #runners = new Set<Runner>()
  readonly #leaving = new Set<Promise<void>>()
  readonly #share: FairShare
  /** Webhooks are looked at first: their senders wait, and they are short. */
  readonly #waiting: Readonly<Record<RunKind, CallQueue<WaitingCall>>> = {
    webhook: new CallQueue(WAITING_MAX),
    query: new CallQueue(WAITING_MAX),
  }
  readonly #ended = { done: 0, refused: 0, failed: 0, time: 0, memory: 0, wait: 0, crash: 0 }
  #startingCount = 0
  #startAfter = 0
  #looking: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(parts: {
    readonly settings: SqlRunnerSettings
    readonly clock: Clock
    readonly log: Log
  }) {
    this.#settings = parts.settings
    this.#clock = parts.clock
    this.#log = parts.log
    this.#share = new FairShare(parts.settings.runnersMax, parts.clock)
  }

  get figures(): SqlRunFigures {
    const busy = this.#runningCalls().length
    return { runners: this.#runners.size, busy, waiting: this.#waitingCount, ended: this.#ended }
  }

  /**
   * Runs a call, when a runner is free for it. Fails with a SqlRunError, with what the caller's own
   * functions have thrown, with the reason of its signal, or with a refusal when too many calls wait.
   */
  async run(call: SqlCall): Promise<SqlRunSummary> {
    try {
      call.signal?.throwIfAborted()
      const summary = await this.#deliver(call)
      this.#ended.done += 1
      return summary
    } catch (error) {
      this.#ended[error instanceof SqlRunError ? error.reason : 'refused'] += 1
      throw error
    }
  }

  /** Ends all runners, and resolves when no process is left. Calls that wait or run are refused. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#looking)
    for (const { fail } of this.#clearWaiting()) fail(closing())
    for (const runner of [...this.#runners]) {
      runner.running?.fail(closing())
      runner.kill()
    }
    while (this.#leaving.size > 0) await Promise.all(this.#leaving)
  }

  /** Idle runners may have died, all of them at worst: a call that none has read goes to the next. */
  async #deliver(call: SqlCall): Promise<SqlRunSummary> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await this.#admit(call)
      } catch (error) {
        const mayRepeat = error instanceof UndeliveredCall && tries < this.#settings.runnersMax
        if (!mayRepeat) throw error
        call.signal?.throwIfAborted()
      }
    }
  }

  #admit(call: SqlCall): Promise<SqlRunSummary> {
    if (this.#isClosed) throw closing()
    this.#share.note(kindOf(call))
    const waitingCalls = this.#waiting[kindOf(call)]
    const free = this.#waitingCount === 0 ? this.#freeRunnerFor(call) : undefined
    if (free !== undefined) return this.#startOn(free, call)
    const { promise, resolve, reject } = Promise.withResolvers<SqlRunSummary>()
    const waiting = { call, since: this.#clock.elapsed(), start: resolve, fail: reject }
    if (!waitingCalls.push(call.owner, waiting)) throw overloaded()
    // Others may wait that have all runners they may have; one may be free for this owner.
    this.#dispatch()
    if (call.signal === undefined) return promise
    const abort = (): void => {
      if (waitingCalls.remove(call.owner, waiting)) reject(call.signal?.reason)
    }
    call.signal.addEventListener('abort', abort, { once: true })
    return promise.finally(() => call.signal?.removeEventListener('abort', abort))
  }

  /** Gives calls that wait to runners that are free. */
  #dispatch(): void {
    while (this.#waitingCount > 0 && this.#freeCount > 0) {
      const waiting = this.#next('webhook') ?? this.#next('query')
      if (waiting === undefined) break
      const runner = this.#freeRunnerFor(waiting.call)
      if (runner === undefined) break
      waiting.start(this.#startOn(runner, waiting.call))
    }
    this.#startRunners()
  }

  #next(kind: RunKind): WaitingCall | undefined {
    const busy = this.#busy()
    return this.#waiting[kind].shift(
      (owner) => this.#share.mayRun(busy, owner, kind),
      (owner) => this.#share.usedMs(busy, owner),
    )
  }

  get #waitingCount(): number {
    return this.#waiting.webhook.count + this.#waiting.query.count
  }

  #clearWaiting(): WaitingCall[] {
    return [...this.#waiting.webhook.clear(), ...this.#waiting.query.clear()]
  }

  #runningCalls(): RunningCall[] {
    return [...this.#runners].flatMap(({ running }) => (running === undefined ? [] : [running]))
  }

  #startOn(runner: Runner, call: SqlCall): Promise<SqlRunSummary> {
    const { seconds, callerWaitMs = CALLER_WAIT_MS_MAX } = this.#settings
    const times = { workMs: seconds * 1_000, waitMs: callerWaitMs }
    const run = runner.run(call, times)
    if (this.#waitingCount === 0) this.#startRunners()
    return run
  }

  get #freeCount(): number {
    return [...this.#runners].filter(({ isFree }) => isFree).length
  }

  #busy() {
    return this.#share.count(this.#runningCalls(), this.#freeCount)
  }

  /** A free runner, one that has the program if there is any. */
  #freeRunnerFor(call: SqlCall): Runner | undefined {
    const busy = this.#busy()
    if (!this.#share.mayRun(busy, call.owner, kindOf(call))) return undefined
    let found: Runner | undefined
    for (const runner of this.#runners) {
      if (!runner.isFree) continue
      if (runner.knows(call)) return runner
      found ??= runner
    }
    return found
  }

  /** Keeps one runner more than there are calls, up to the limit. */
  #startRunners(): void {
    if (this.#isClosed || this.#clock.elapsed() < this.#startAfter) return
    const needed = this.#waitingCount + this.#runningCalls().length + 1
    const most = Math.min(needed, this.#share.mostRunners())
    while (this.#runners.size + this.#startingCount < most) this.#startRunner()
  }

  #startRunner(): void {
    this.#startingCount += 1
    this.#looking ??= setInterval(() => this.#look(), LOOK_EVERY_MS).unref()
    const started = spawnRunner(this.#settings.memoryMb, this.#log)
      .then((process) => {
        const runner = new Runner(process, this.#clock, {
          onFinish: (running) => this.#share.charge(running),
          onFree: (freed) => this.#reuse(freed),
          onEnd: (ended) => this.#remove(ended),
        })
        this.#runners.add(runner)
        if (this.#isClosed) runner.kill()
      })
      .catch((error) => this.#failStart(error))
      .finally(() => {
        this.#startingCount -= 1
        this.#leaving.delete(started)
      })
    this.#leaving.add(started)
  }

  /** SQLite and V8 keep what a heavy call has taken, and the next call would be blamed for it. */
  #reuse(runner: Runner): void {
    const isHeavy = this.#clock.elapsed() - runner.since > HEAVY_RUN_MS
    if (isHeavy && runner.grownBytes > (this.#settings.memoryMb * MB) / 2) runner.kill()
    else this.#dispatch()
  }

  #remove(runner: Runner): void {
    this.#runners.delete(runner)
    const leaving = runner.gone.finally(() => this.#leaving.delete(leaving))
    this.#leaving.add(leaving)
    if (!runner.isReady && !this.#isClosed) this.#failStart(new Error(runner.lastWords))
    this.#dispatch()
  }

  /** Calls that nobody can take any more fail at once; the next runner is tried a little later. */
  #failStart(error: unknown): void {
    this.#log.error({ error }, 'a GS SQL runner did not start')
    this.#startAfter = this.#clock.elapsed() + RESTART_AFTER_MS
    if (this.#runners.size > 0) return
    for (const { fail } of this.#clearWaiting()) {
      fail(new SqlRunError('crash', 'Cannot run this: its process could not be started'))
    }
  }

  /** Looks at every runner: those over their time or memory, or that nobody needs, are killed. */
  #look(): void {
    const now = this.#clock.elapsed()
    for (const queue of [this.#waiting.webhook, this.#waiting.query]) {
      for (const waiting of [...queue]) {
        if (now - waiting.since < WAITING_MS_MAX) continue
        queue.remove(waiting.call.owner, waiting)
        waiting.fail(overloaded())
      }
    }
    let idleCount = 0
    for (const runner of [...this.#runners]) {
      if (runner.running !== undefined) this.#judge(runner)
      else if (runner.isReady) {
        idleCount += 1
        if (idleCount > 1 && now - runner.since > IDLE_MS_MAX) runner.kill()
      } else if (now - runner.since > START_MS_MAX) runner.kill()
    }
    this.#startRunners()
  }

  #judge(runner: Runner): void {
    const { running } = runner
    if (running === undefined) return
    const { seconds, memoryMb, callerWaitMs = CALLER_WAIT_MS_MAX } = this.#settings
    const { over } = running.clock
    if (over === 'work') {
      this.#kill(
        runner,
        new SqlRunError('time', `Cannot run this: it takes longer than ${seconds} s`),
      )
    } else if (over === 'wait') {
      const what = 'reading its data or sending its rows'
      const problem = `Cannot run this: ${what} takes longer than ${callerWaitMs / 1_000} s`
      this.#kill(runner, new SqlRunError('wait', problem))
    } else if (runner.grownBytes > memoryMb * MB) {
      const problem = `Cannot run this: it needs more than ${memoryMb} MB of memory`
      this.#kill(runner, new SqlRunError('memory', problem))
    }
  }

  #kill(runner: Runner, error: SqlRunError): void {
    const { owner, key } = runner.running?.call ?? {}
    this.#log.warn({ owner, key, reason: error.reason }, 'a GS SQL run was stopped')
    runner.kill(error)
  }
}

function overloaded(): Refusal {
  return refusal('overloaded', { retryAfterSeconds: 5 })
}

function closing(): Refusal {
  return refusal('shutting_down', { retryAfterSeconds: 5 })
}
