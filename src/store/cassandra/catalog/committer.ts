/**
 * Makes the commits of this process, in groups: a group reads what it needs, is checked in memory, becomes
 * one entry of the log, and is written to the tables before its callers go on. When another process
 * has appended meanwhile, the group is checked again behind that.
 */
import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { Mutex, refusal } from '../../../base/index.ts'
import type { CatalogDocument, DocumentKey, Lease } from '../../catalog-port.ts'
import { storedClaim } from '../../stored-claim.ts'
import { awayRefusal } from '../connection/away.ts'
import type { Cluster } from '../connection/cluster.ts'
import type { Leases } from '../lease/leases.ts'
import type { CatalogReader, DueDocuments } from './catalog-reader.ts'
import { CommitLog, type LogEntry, type LogHead } from './commit-log.ts'
import { type Commit, CommitState, type Loaded } from './commit-state.ts'
import { isWithoutEffects, NO_EFFECTS } from './log-entry.ts'
import { materialize } from './materialize.ts'
import { RecentChanges } from './recent-changes.ts'

/** Writes of one group: what is held in memory for it, and one entry of the log. */
const WRITES_PER_GROUP = 5_000
/** Commits that wait for their group; a caller that comes then has to come again. */
const JOBS_WAITING_MAX = 10_000
/** Groups that others come before this often wait for a quieter time. */
const TRIES_MAX = 50
const WAIT_MS_MAX = 50
/** How often `meta` is told how far the tables are. */
const ENTRIES_PER_MARK = 20

interface CommitJob extends PromiseWithResolvers<CatalogDocument[]> {
  readonly commit: Commit
}

interface PurgeJob extends PromiseWithResolvers<number> {
  readonly nowMs: number
  readonly limit: number
}

type Job = CommitJob | PurgeJob

/** What the committer works with. */
interface CommitterParts {
  readonly cluster: Cluster
  readonly reader: CatalogReader
  readonly leases: Leases
  /** The time of entry 0, in microseconds: entries count on from it. */
  readonly startMicros: bigint
  readonly head: LogHead
}

/** The writer of the catalog in this process. */
export class Committer {
  readonly #parts: CommitterParts
  readonly #log: CommitLog
  readonly #turn = new Mutex()
  readonly #recent: RecentChanges
  #queue: Job[] = []
  #isWorking = false
  #isClosed = false
  #head: LogHead
  #marked: number

  constructor(parts: CommitterParts) {
    this.#parts = parts
    this.#head = parts.head
    this.#marked = parts.head.seq
    this.#log = new CommitLog(parts.cluster)
    this.#recent = new RecentChanges(this.#log, parts.head)
  }

  /** The head of the log as far as this process has made sure that the tables have it. */
  get head(): LogHead {
    return this.#head
  }

  /** The changes behind cursors. */
  get recent(): RecentChanges {
    return this.#recent
  }

  /** Makes a commit with others that wait; rejects as CatalogStore.commit() does. */
  commit(commit: Commit): Promise<CatalogDocument[]> {
    const job = { commit, ...Promise.withResolvers<CatalogDocument[]>() }
    this.#enqueue(job)
    return job.promise
  }

  /** Deletes documents that are over; tells how many. */
  purge(nowMs: number, limit: number): Promise<number> {
    const job = { nowMs, limit, ...Promise.withResolvers<number>() }
    this.#enqueue(job)
    return job.promise
  }

  /** Takes over what others have appended, into the tables too where they have not come to that. */
  async catchUp(): Promise<LogHead> {
    return await this.#turn.run(() => this.#catchUp())
  }

  /** Appends an entry without effects: whoever read before it must read again before it can commit. */
  async raiseBarrier(): Promise<void> {
    await this.#turn.run(() =>
      this.#repeat(async () => {
        await this.#catchUp()
        return await this.#append(NO_EFFECTS_STATE)
      }),
    )
  }

  /** Waits for all commits that were asked for before. */
  async settled(): Promise<void> {
    await this.#turn.run(async () => {})
  }

  /** Ends when what was asked for is made. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.settled()
    await this.#mark().catch(() => {})
  }

  #enqueue(job: Job): void {
    if (this.#isClosed) {
      job.reject(new Error('Cannot write the catalog: it is closed'))
      return
    }
    if (this.#queue.length >= JOBS_WAITING_MAX) {
      job.reject(refusal('overloaded', { retryAfterSeconds: 1 }))
      return
    }
    this.#queue.push(job)
    if (this.#isWorking) return
    this.#isWorking = true
    // Behind what runs already, so that all that comes meanwhile is one group.
    void this.#turn.run(() => this.#work())
  }

  async #work(): Promise<void> {
    while (this.#queue.length > 0) {
      const group = this.#takeGroup()
      try {
        await this.#repeat(() => this.#runGroup(group))
      } catch (error) {
        for (const job of group) job.reject(error)
      }
    }
    this.#isWorking = false
  }

  #takeGroup(): Job[] {
    let writes = 0
    const count = this.#queue.findIndex((job, at) => {
      writes += 'commit' in job ? job.commit.writes.length : job.limit
      return at > 0 && writes > WRITES_PER_GROUP
    })
    return this.#queue.splice(0, count < 0 ? this.#queue.length : count)
  }

  /** Until a try ends without another process having come before. */
  async #repeat(attempt: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      if (await attempt()) return
      await pause(randomInt(Math.min(WAIT_MS_MAX, 2 * (tries + 1))))
    }
    throw awayRefusal(new Error('others commit all the time'))
  }

  /** One try; false when it has to be made again. Callers hear of it only when it stands. */
  async #runGroup(group: readonly Job[]): Promise<boolean> {
    await this.#catchUp()
    const due = new Map<Job, DueDocuments>()
    for (const job of group) {
      if (!('commit' in job)) due.set(job, await this.#parts.reader.due(job.nowMs, job.limit))
    }
    const state = new CommitState(await this.#load(group, due))
    const outcomes = group.map((job) => outcomeOf(job, state, due.get(job)))
    if (!(await this.#append(state))) return false
    for (const tell of outcomes) tell()
    return true
  }

  async #append(state: Pick<CommitState, 'effects' | 'lastHandle'>): Promise<boolean> {
    const effects = state.effects()
    if (state instanceof CommitState && isWithoutEffects(effects)) return await this.#isAtHead()
    const lastHandle = Math.max(state.lastHandle, this.#head.handle)
    const entry = await this.#log.append(this.#head, effects, lastHandle)
    if (entry === undefined) return false
    await this.#take(entry, true)
    return true
  }

  /**
   * Whether no other process has appended meanwhile. Otherwise a refusal may rest on a part of an entry that the other
   * process is writing to the tables, and the caller could not read the rest.
   */
  async #isAtHead(): Promise<boolean> {
    return (await this.#log.readAfter(this.#head.seq)).length === 0
  }

  async #catchUp(): Promise<LogHead> {
    for (;;) {
      const entries = await this.#log.readAfter(this.#head.seq)
      if (entries.length === 0) return this.#head
      for (const entry of entries) await this.#take(entry, false)
    }
  }

  async #take(entry: LogEntry, isOwn: boolean): Promise<void> {
    const { cluster, startMicros } = this.#parts
    await materialize(cluster, entry.effects, startMicros + BigInt(entry.seq))
    this.#head = entry.head
    this.#recent.add(entry, isOwn)
    if (entry.seq - this.#marked >= ENTRIES_PER_MARK) await this.#mark()
  }

  /** Tells later starts from where on they have to look at the log. */
  async #mark(): Promise<void> {
    const { cluster, startMicros } = this.#parts
    if (this.#head.seq === this.#marked) return
    const timestamp = startMicros + BigInt(this.#head.seq)
    const cql = `INSERT INTO meta (name, value) VALUES ('catalog_head', ?)`
    await cluster.run(cql, [JSON.stringify(this.#head)], { timestamp })
    this.#marked = this.#head.seq
  }

  async #load(group: readonly Job[], due: ReadonlyMap<Job, DueDocuments>): Promise<Loaded> {
    const { reader, leases } = this.#parts
    const keys: DocumentKey[] = [...due.values()].flatMap((one) => one.keys)
    const claims = new Map<string, Set<string>>()
    const names = new Set<string>()
    const orgs = new Set(keys.map(({ orgUid }) => orgUid))
    for (const job of group) {
      if (!('commit' in job)) continue
      const { writes, lease, limits } = job.commit
      if (lease !== undefined) names.add(lease.name)
      for (const { orgUid } of [...limits, ...writes]) orgs.add(orgUid)
      for (const write of writes) {
        keys.push(write)
        if (write.op !== 'put') continue
        const wanted = claims.get(write.orgUid) ?? new Set()
        claims.set(write.orgUid, wanted)
        for (const claim of write.claims ?? []) wanted.add(storedClaim(claim))
      }
    }
    const [heads, holders, usage, held] = await Promise.all([
      reader.heads(keys),
      Promise.all([...claims].map(([orgUid, some]) => holdersOf(reader, orgUid, [...some]))),
      Promise.all([...orgs].map((org) => reader.usage(org))),
      Promise.all([...names].map(async (name) => [name, await leases.select(name)] as const)),
    ])
    return {
      ...{ heads, holders: holders.flat(), usage: usage.flat() },
      ...{ leases: new Map<string, Lease | undefined>(held), lastHandle: this.#head.handle },
    }
  }
}

const NO_EFFECTS_STATE = { effects: () => NO_EFFECTS, lastHandle: 0 }

async function holdersOf(reader: CatalogReader, orgUid: string, claims: readonly string[]) {
  const found = await reader.holdersOf(orgUid, claims)
  return found.map((one) => ({ orgUid, ...one }))
}

/** Applies a job; how to tell its caller once it stands. */
function outcomeOf(job: Job, state: CommitState, due: DueDocuments | undefined): () => void {
  try {
    if ('commit' in job) {
      const documents = state.apply(job.commit)
      return () => job.resolve(documents)
    }
    const deleted = state.purge(due?.keys ?? [], job.nowMs, due?.emptied ?? [])
    return () => job.resolve(deleted)
  } catch (error) {
    return () => job.reject(error)
  }
}
