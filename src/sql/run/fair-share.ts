import type { Clock } from '../../base/plain.ts'
import type { RunningCall } from './running-call.ts'
import type { RunKind, SqlCall } from './sql-call.ts'

/** After this time, past use counts half. */
const HALF_LIFE_MS = 60_000

/** Owners whose use is kept. The one that ran longest ago is forgotten first. */
const OWNERS_MAX = 10_000

interface Use {
  readonly ms: number
  readonly at: number
}

/** After a webhook, a free runner is kept for the next one for this time. Its sender waits, and a start takes a second. */
const KEPT_FOR_WEBHOOKS_MS = 600_000

/** What runs at a moment: calls by kind, and of each owner. */
interface Busy {
  /** Runners that could take a call at once. */
  readonly freeCount: number
  readonly total: Record<RunKind, number>
  readonly byOwner: Map<string, Record<RunKind, number> & { workedMs: number }>
}

/** The kind of a call; one without a kind is a query. */
export function kindOf({ kind = 'query' }: Pick<SqlCall, 'kind'>): RunKind {
  return kind
}

/**
 * Shares the runners between kinds of calls and their owners. There is one runner more than the setting says. Calls of
 * one kind never take all of them, so that webhooks do not wait behind queries, nor queries behind webhooks.
 */
export class FairShare {
  readonly #runnersMax: number
  readonly #clock: Clock
  readonly #useOf = new Map<string, Use>()
  #webhookAt = Number.NEGATIVE_INFINITY

  constructor(runnersMax: number, clock: Clock) {
    this.#runnersMax = runnersMax
    this.#clock = clock
  }

  /** Notes that a call arrived. */
  note(kind: RunKind): void {
    if (kind === 'webhook') this.#webhookAt = this.#clock.elapsed()
  }

  /** Counts what runs. */
  count(running: Iterable<RunningCall>, freeCount: number): Busy {
    const busy: Busy = { freeCount, total: { query: 0, webhook: 0 }, byOwner: new Map() }
    for (const { call, clock } of running) {
      const kind = kindOf(call)
      const of = busy.byOwner.getOrInsertComputed(call.owner, () => ({
        query: 0,
        webhook: 0,
        workedMs: 0,
      }))
      busy.total[kind] += 1
      of[kind] += 1
      of.workedMs += clock.workedMs
    }
    return busy
  }

  /** The most runners there may be. The last one is started where webhooks are used. */
  mostRunners(): number {
    return this.#runnersMax + (this.#hasWebhooks ? 1 : 0)
  }

  /** Whether an owner may have a further runner: each leaves one of a kind, and one of all, to others. */
  mayRun({ freeCount, total, byOwner }: Busy, owner: string, kind: RunKind): boolean {
    const most = this.#runnersMax
    if (total[kind] >= most) return false
    // A query that took the last free runner would let the next webhook wait for a process to start.
    if (kind === 'query' && freeCount <= 1 && total.webhook === 0 && this.#hasWebhooks) return false
    const of = byOwner.get(owner)
    if (of === undefined) return true
    return of[kind] < Math.max(1, most - 1) && of.query + of.webhook < Math.max(2, most)
  }

  /** How long an owner has used runners lately, including what runs. The least goes first. */
  usedMs({ byOwner }: Busy, owner: string): number {
    return this.#pastMs(owner) + (byOwner.get(owner)?.workedMs ?? 0)
  }

  /** Counts a call that has ended. */
  charge({ call, clock }: RunningCall): void {
    const { owner } = call
    const use = { ms: this.#pastMs(owner) + clock.workedMs, at: this.#clock.elapsed() }
    this.#useOf.delete(owner)
    this.#useOf.set(owner, use)
    if (this.#useOf.size <= OWNERS_MAX) return
    for (const oldest of this.#useOf.keys()) {
      this.#useOf.delete(oldest)
      return
    }
  }

  get #hasWebhooks(): boolean {
    return this.#clock.elapsed() - this.#webhookAt < KEPT_FOR_WEBHOOKS_MS
  }

  #pastMs(owner: string): number {
    const use = this.#useOf.get(owner)
    if (use === undefined) return 0
    return use.ms * 2 ** ((use.at - this.#clock.elapsed()) / HALF_LIFE_MS)
  }
}
