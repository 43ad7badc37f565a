import { setTimeout as wait } from 'node:timers/promises'
import { type Clock, type EpochMs, type Log, nextIteration } from '../../base/index.ts'
import { type JobRun, LeasedJob, type LeasedJobDeps } from '../lease/leased-job.ts'
import type { CatalogStore } from '../ports/catalog-port.ts'
import type { Scrubbable, ScrubFinding, ScrubPass } from '../ports/scrub-port.ts'
import { type KnownDamage, OF_NO_STREAM } from './known-damage.ts'
import { loadReport, type ScrubReport, type StreamPlaces, saveReport } from './scrub-report.ts'

const WEEK_MS = 7 * 86_400_000
/** How often is looked whether a week has passed. */
const LOOK_EVERY_MS = 600_000
/** A report from further ahead than this was written under a clock that was wrong. */
const AHEAD_MAX_MS = 3_600_000
/** In the background a fifth of the time is worked; the rest belongs to the calls. */
const REST_FACTOR = 4
const REST_MS_MAX = 2_000
/** Work shorter than this is not worth a rest of its own. */
const STEP_MS = 5
/** Well below the time that a lease lasts. */
const RENEW_EVERY_MS = 15_000

/** Findings of one pass that are logged one by one; a broken disk must not fill the log. */
const LOGGED_MAX = 100

/** A part that is read back, by its name in findings. */
export interface ScrubPart {
  readonly name: ScrubFinding['part']
  readonly store: Scrubbable
}

interface ScrubRunnerDeps extends LeasedJobDeps {
  readonly catalog: Pick<CatalogStore, 'acquireLease' | 'releaseLease' | 'get' | 'commit'>
  readonly parts: readonly ScrubPart[]
  readonly places: StreamPlaces
  readonly damage: KnownDamage
  readonly clock: Clock
  readonly log: Log
}

/** How far a pass is. */
export interface ScrubProgress {
  readonly part: ScrubFinding['part'] | undefined
  readonly items: number
  readonly bytes: number
}

/** What the runner does, and what came of the last pass. */
export interface ScrubState {
  /** undefined: no pass is under way. */
  readonly running: ScrubProgress | undefined
  /** Passes that came to their end since the start. */
  readonly passCount: number
  readonly last: ScrubReport | undefined
  /** Why the last pass that was asked for did not come to its end. */
  readonly failure: string | undefined
}

/**
 * Reads back everything that is stored once a week, in the background, and whenever it is asked to.
 * One pass runs at a time, in one process of a cluster.
 */
export class ScrubRunner {
  readonly #deps: ScrubRunnerDeps
  readonly #job: LeasedJob
  #last: ScrubReport | undefined
  #passCount = 0
  #failure: string | undefined
  #isWanted = false
  #asked: Promise<void> | undefined
  #running: Promise<void> | undefined
  /** Ends a rest early: someone waits, or the service stops. */
  #rest = new AbortController()
  #pass = { part: undefined as ScrubProgress['part'], items: 0, bytes: 0 }
  #bytesTotal = 0
  #itemsTotal = 0
  #resumedAt = 0
  #renewedAt = 0

  private constructor(deps: ScrubRunnerDeps, last: ScrubReport | undefined) {
    this.#deps = deps
    this.#last = last
    this.#job = new LeasedJob(deps, {
      name: 'scrub',
      everyMs: LOOK_EVERY_MS,
      work: (run) => this.#work(run),
    })
  }

  /** Reads what the last pass found. */
  static async open(deps: ScrubRunnerDeps): Promise<ScrubRunner> {
    const last = await loadReport(deps.catalog, deps.places)
    for (const finding of last?.damaged ?? []) deps.damage.restore(finding)
    return new ScrubRunner(deps, last)
  }

  /** Runs once a week until closed. */
  start(): void {
    this.#job.start()
  }

  get state(): ScrubState {
    const isRunning = this.#running !== undefined || this.#isWanted
    const running = isRunning ? { ...this.#pass } : undefined
    return { running, passCount: this.#passCount, last: this.#last, failure: this.#failure }
  }

  /** What was read since the start, by all passes. */
  get checkedTotal(): { readonly items: number; readonly bytes: number } {
    return { items: this.#itemsTotal, bytes: this.#bytesTotal }
  }

  /** Looks as the timer does: runs a pass when a week has passed since the last one. */
  async runIfDue(): Promise<void> {
    await this.#job.run()
  }

  /** Starts a pass at full speed, or hurries the one under way; resolves when it is over. */
  checkNow(): Promise<void> {
    this.#asked ??= this.#check().finally(() => {
      this.#asked = undefined
    })
    return this.#asked
  }

  async #check(): Promise<void> {
    this.#failure = undefined
    this.#isWanted = true
    this.#rest.abort()
    try {
      const before = this.#passCount
      await this.#running
      if (this.#passCount === before) await this.#job.run()
      // The weekly look may have begun a pass while this one waited for the lease.
      await this.#running
      if (this.#passCount === before)
        this.#failure ??= 'it was ended before it was through, or another process is at it'
    } catch (error) {
      this.#failure = 'it failed: see the log'
      this.#deps.onFailure(error)
    } finally {
      this.#isWanted = false
    }
  }

  /** Ends a pass that is under way, and the weekly ones. */
  async close(): Promise<void> {
    this.#rest.abort()
    await this.#job.close()
    await this.#running
    await this.#asked
  }

  async #work(run: JobRun): Promise<number> {
    if (this.#running !== undefined || !(this.#isWanted || this.#isDue())) return 0
    this.#running = this.#runPass(run)
    try {
      await this.#running
    } finally {
      this.#running = undefined
    }
    return this.#pass.items
  }

  #isDue(): boolean {
    if (this.#last === undefined) return true
    const passedMs = this.#deps.clock.now() - this.#last.time
    return passedMs >= WEEK_MS || passedMs < -AHEAD_MAX_MS
  }

  async #runPass(run: JobRun): Promise<void> {
    const { clock, damage, log, parts } = this.#deps
    const startedAt = clock.now()
    const begunAt = damage.begin()
    this.#pass = { part: undefined, items: 0, bytes: 0 }
    this.#rest = new AbortController()
    this.#resumedAt = clock.elapsed()
    this.#renewedAt = this.#resumedAt
    const bytesByPart: Record<string, number> = {}
    const found = new FoundDamage(damage, log)
    for (const part of parts) {
      this.#pass.part = part.name
      const bytesBefore = this.#pass.bytes
      if (!(await this.#readPart(part, run, found))) return
      bytesByPart[part.name] = this.#pass.bytes - bytesBefore
    }
    damage.settle(begunAt)
    await this.#keep({ startedAt, bytesByPart })
    this.#passCount += 1
  }

  /** false: the pass has to end. */
  async #readPart(part: ScrubPart, run: JobRun, found: FoundDamage): Promise<boolean> {
    let mayGoOn = true
    const pass: ScrubPass = {
      mayGoOn: async () => {
        mayGoOn &&= await this.#mayGoOn(run)
        return mayGoOn
      },
      onChecked: (items, bytes) => this.#count(items, bytes),
      onDamage: (finding) => found.add(finding),
    }
    try {
      await part.store.scrub(pass)
    } catch (error) {
      this.#deps.log.error({ error, part: part.name }, 'a scrub could not read a part to its end')
      const what = `${part.name} could not be read to its end: ${String((error as Error).message)}`
      found.add({ part: part.name, what, ...OF_NO_STREAM })
    }
    return mayGoOn && !run.isOver
  }

  async #mayGoOn(run: JobRun): Promise<boolean> {
    const { clock } = this.#deps
    if (run.isOver) return false
    const workedMs = clock.elapsed() - this.#resumedAt
    if (workedMs < STEP_MS) return true
    if (this.#isWanted) await nextIteration()
    else await this.#restFor(Math.min(workedMs * REST_FACTOR, REST_MS_MAX))
    this.#resumedAt = clock.elapsed()
    if (this.#resumedAt - this.#renewedAt < RENEW_EVERY_MS) return !run.isOver
    this.#renewedAt = this.#resumedAt
    return run.mayGoOn()
  }

  async #restFor(ms: number): Promise<void> {
    await wait(ms, undefined, { signal: this.#rest.signal, ref: false }).catch(() => {})
  }

  #count(items: number, bytes: number): void {
    this.#pass.items += items
    this.#pass.bytes += bytes
    this.#itemsTotal += items
    this.#bytesTotal += bytes
  }

  async #keep(pass: { startedAt: EpochMs; bytesByPart: Record<string, number> }): Promise<void> {
    const { catalog, clock, damage, log, places } = this.#deps
    const { items, bytes } = this.#pass
    const report = { ...pass, time: clock.now(), items, bytes, damaged: damage.list() }
    this.#last = report
    const damagedCount = report.damaged.length
    const figures = { items, bytes, damagedCount, durationMs: report.time - pass.startedAt }
    if (damagedCount === 0) log.info(figures, 'all that is stored was read and checked')
    else log.error(figures, 'all that is stored was read, and some of it is damaged')
    try {
      await saveReport(catalog, places, report)
    } catch (error) {
      // The findings are known and logged; the next start only does not know that this pass was.
      log.error({ error }, 'the report of a scrub could not be kept')
    }
  }
}

/** Findings on their way from a pass to the log and to what is known. */
class FoundDamage {
  readonly #damage: KnownDamage
  readonly #log: Log
  #count = 0

  constructor(damage: KnownDamage, log: Log) {
    this.#damage = damage
    this.#log = log
  }

  add(finding: ScrubFinding): void {
    this.#count += 1
    if (this.#count <= LOGGED_MAX) this.#log.error({ finding }, 'a scrub found damage')
    this.#damage.note(finding)
  }
}
