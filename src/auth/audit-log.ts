import type { Principal } from '../access/index.ts'
import { type Clock, type Log, newUid, PAGE_BYTES_MAX, Refusal } from '../base/index.ts'
import type { CatalogStore, CatalogWrite, PutDocument } from '../store/index.ts'
import { AUDIT_KIND, type AuditRecord, auditRecordOf, timeKeyOf } from './audit-record.ts'
import { type AuditFilter, type AuditFound, searchAudit, walkAudit } from './audit-search.ts'
import type { CallerCheck } from './caller-check.ts'

/** An act as it is handed in. */
export interface AuditEntry extends Omit<AuditRecord, 'uid' | 'time'> {
  /** The caller's rights must still hold when the entry is committed; see `withCallerChecks`. */
  readonly callerCheck?: CallerCheck
}

/** Whose acts the planned writes are, until they are committed. */
const callerChecks = new WeakMap<CatalogWrite, CallerCheck>()
/** Two years of acts are kept; older ones are purged. */
const KEPT_MS = 730 * 86_400_000
/** Acts of one organization that are kept, about 500 MB; the oldest go first. */
const KEPT_MAX = 1_000_000
/** Acts that one commit deletes, and commits before the next look. */
const TRIM_STEP = 1_000
const TRIM_ROUNDS_MAX = 100
/** Acts waiting to be written; more means that the disk does not keep up, and the log says so. */
const WAITING_MAX = 1_000

/** The audit log: who signed in, made or saw keys, changed roles. */
export class AuditLog {
  readonly #store: CatalogStore
  readonly #clock: Clock
  readonly #log: Log
  readonly #writing = new Set<Promise<unknown>>()
  #count = 0

  constructor(deps: { readonly store: CatalogStore; readonly clock: Clock; readonly log: Log }) {
    this.#store = deps.store
    this.#clock = deps.clock
    this.#log = deps.log
  }

  /** The write of an act, for the commit that is the act, so that neither stays without the other. */
  plan({ callerCheck, orgUid, ...entry }: AuditEntry): PutDocument {
    const { act, actor, target, address, detail } = entry
    const time = this.#clock.now()
    const write: PutDocument = {
      op: 'put',
      orgUid,
      kind: AUDIT_KIND,
      uid: newUid(),
      listKey: this.#nextListKey(time),
      expiresAtMs: time + KEPT_MS,
      body: { time, act, actor, target, address, detail },
      mayUseReserve: true,
      expectedRevision: 0,
    }
    if (callerCheck !== undefined) callerChecks.set(write, callerCheck)
    return write
  }

  /** Writes down an act that changes nothing else; resolves when it would survive a crash. */
  async record(entry: AuditEntry): Promise<void> {
    await this.#store.commit([this.plan(entry)])
  }

  /** As `record` for acts that nobody waits for, such as a failed sign-in. */
  recordLater(entry: AuditEntry): void {
    if (this.#writing.size >= WAITING_MAX) {
      this.#log.warn({ act: entry.act }, 'audit entry dropped: too many are waiting')
      return
    }
    const writing = this.record(entry).catch((error: unknown) => {
      // The organization has gone, and its log with it.
      if (error instanceof Refusal) return
      this.#log.error({ error, act: entry.act }, 'could not write an audit entry')
    })
    this.#writing.add(writing)
    writing.finally(() => this.#writing.delete(writing))
  }

  /** One page of an organization's acts, the newest first. */
  async list(
    orgUid: string,
    page: { readonly start: number; readonly limit: number },
  ): Promise<{ entries: readonly AuditRecord[]; totalCount: number }> {
    const query = { orgUid, kind: AUDIT_KIND, ...page, descending: true, bytesMax: PAGE_BYTES_MAX }
    const { documents, totalCount } = await this.#store.list(query)
    return { entries: documents.map(auditRecordOf), totalCount }
  }

  /** A page of the acts that match, among the newest that one search may read. */
  async search(
    orgUid: string,
    query: AuditFilter & { readonly start: number; readonly limit: number },
  ): Promise<AuditFound> {
    return await searchAudit(this.#store, orgUid, query)
  }

  /** All acts that match, newest first, some at a time. */
  walk(orgUid: string, filter: AuditFilter): AsyncGenerator<readonly AuditRecord[]> {
    return walkAudit(this.#store, orgUid, filter)
  }

  /** Deletes the oldest acts of an organization that has more than are kept. */
  async trim(orgUid: string, keptMax = KEPT_MAX): Promise<void> {
    const kind = AUDIT_KIND
    for (let round = 0; round < TRIM_ROUNDS_MAX; round += 1) {
      const usage = await this.#store.usage(orgUid)
      const surplus = (usage.find((one) => one.kind === kind)?.documents ?? 0) - keptMax
      if (surplus <= 0) return
      const limit = Math.min(surplus, TRIM_STEP)
      const { documents } = await this.#store.walk({ orgUid, kind, limit })
      await this.#store.commit(
        documents.map(({ uid }) => ({ op: 'delete', orgUid, kind, uid, expectedRevision: 'any' })),
      )
    }
  }

  /** Acts of one millisecond keep their order. */
  #nextListKey(time: number): string {
    this.#count = (this.#count + 1) % 1_000_000
    return `${timeKeyOf(time)} ${String(this.#count).padStart(6, '0')}`
  }

  /** Waits for what is still being written. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#writing)
  }
}

/** Writes the acts of a commit to the service's log. */
export function logActs(log: Log, writes: readonly CatalogWrite[]): void {
  for (const write of writes) {
    if (write.kind !== AUDIT_KIND || write.op !== 'put') continue
    const { act, actor, target, address } = write.body
    log.info({ audit: { act, orgUid: write.orgUid, actor, target, address } }, 'audit')
  }
}

/** How those stand whose acts are in a commit. */
export function callerChecksIn(writes: readonly CatalogWrite[]): CallerCheck[] {
  const found: CallerCheck[] = []
  // A put may create thousands of streams in a commit, none of which is an act.
  for (const write of writes) {
    const callerCheck = write.kind === AUDIT_KIND ? callerChecks.get(write) : undefined
    if (callerCheck !== undefined) found.push(callerCheck)
  }
  return found
}

/** How the audit log names anyone who uses the command line. */
export const OPERATOR = 'command line'

/** How the audit log names a caller. */
export function actorName({ actor }: Principal): string {
  if (actor.kind === 'user' && actor.userUid === OPERATOR) return OPERATOR
  return actor.kind === 'user' ? `user:${actor.userUid}` : `api_key:${actor.keyUid}`
}
