import type { Principal } from '../access/index.ts'
import { type Clock, type Log, newUid, PAGE_BYTES_MAX, Refusal } from '../base/index.ts'
import type { CatalogStore, CatalogWrite, PutDocument } from '../store/index.ts'
import type { AuditAct } from './audit-acts.ts'
import type { Standing } from './standing.ts'

/** Who did what to whom, from where. */
export interface AuditEntry {
  readonly orgUid: string
  readonly act: AuditAct
  /** `user:<uid>`, `api_key:<uid>`, `command line`, or `invitation:<uid>` of whoever declined one. */
  readonly actor: string
  /** The UID of what the act was about, '' when it was the actor. */
  readonly target: string
  readonly address: string
  /** A short text for people; never a secret. */
  readonly detail: string
  /** Whoever acts must stand as it did when the entry is committed; see `withStandings`. */
  readonly standing?: Standing
}

export interface AuditRecord extends Omit<AuditEntry, 'standing'> {
  readonly uid: string
  readonly time: number
}

const KIND = 'audit'
/** Whose acts the planned writes are, until they are committed. */
const standings = new WeakMap<CatalogWrite, Standing>()
/** Two years of acts are kept; older ones are purged. */
const KEPT_MS = 730 * 86_400_000
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
  plan({ standing, orgUid, ...entry }: AuditEntry): PutDocument {
    const { act, actor, target, address, detail } = entry
    const time = this.#clock.now()
    const write: PutDocument = {
      op: 'put',
      orgUid,
      kind: KIND,
      uid: newUid(),
      listKey: this.#nextListKey(time),
      expiresAtMs: time + KEPT_MS,
      body: { time, act, actor, target, address, detail },
      mayUseReserve: true,
      expectedRevision: 0,
    }
    if (standing !== undefined) standings.set(write, standing)
    return write
  }

  /** Writes down an act that changes nothing else; resolves when it would survive a crash. */
  async record(entry: AuditEntry): Promise<void> {
    await this.#store.commit([this.plan(entry)])
  }

  /** As `record` for acts that nobody waits for, such as a failed sign-in. */
  recordLater(entry: AuditEntry): void {
    if (this.#writing.size >= WAITING_MAX) {
      this.#log.warn({ act: entry.act }, 'an audit entry was dropped: too many are waiting')
      return
    }
    const writing = this.record(entry).catch((error: unknown) => {
      // The organization has gone, and its log with it.
      if (error instanceof Refusal) return
      this.#log.error({ error, act: entry.act }, 'an audit entry could not be written')
    })
    this.#writing.add(writing)
    writing.finally(() => this.#writing.delete(writing))
  }

  /** One page of an organization's acts, the newest first. */
  async list(
    orgUid: string,
    page: { readonly start: number; readonly limit: number },
  ): Promise<{ entries: readonly AuditRecord[]; totalCount: number }> {
    const query = { orgUid, kind: KIND, ...page, descending: true, bytesMax: PAGE_BYTES_MAX }
    const { documents, totalCount } = await this.#store.list(query)
    const entries = documents.map(({ uid, body }) => ({
      orgUid,
      uid,
      ...(body as unknown as Omit<AuditRecord, 'orgUid' | 'uid'>),
    }))
    return { entries, totalCount }
  }

  /** Acts of one millisecond keep their order. */
  #nextListKey(time: number): string {
    this.#count = (this.#count + 1) % 1_000_000
    return `${String(time).padStart(15, '0')} ${String(this.#count).padStart(6, '0')}`
  }

  /** Waits for what is still being written. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#writing)
  }
}

/** Tells the service's log of the acts in a commit that was made. */
export function logActs(log: Log, writes: readonly CatalogWrite[]): void {
  for (const write of writes) {
    if (write.kind !== KIND || write.op !== 'put') continue
    const { act, actor, target, address } = write.body
    log.info({ audit: { act, orgUid: write.orgUid, actor, target, address } }, 'audit')
  }
}

/** How those stand whose acts are in a commit. */
export function standingsIn(writes: readonly CatalogWrite[]): Standing[] {
  const found: Standing[] = []
  // A put may create thousands of streams in a commit, none of which is an act.
  for (const write of writes) {
    const standing = write.kind === KIND ? standings.get(write) : undefined
    if (standing !== undefined) found.push(standing)
  }
  return found
}

/** How the audit log names whoever uses the command line. */
export const OPERATOR = 'command line'

/** How the audit log names a caller. */
export function actorName({ actor }: Principal): string {
  if (actor.kind === 'user' && actor.userUid === OPERATOR) return OPERATOR
  return actor.kind === 'user' ? `user:${actor.userUid}` : `api_key:${actor.keyUid}`
}
