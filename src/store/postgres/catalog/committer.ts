/**
 * Makes the commits of this process, in groups. A group is one transaction: it locks the catalog, reads what its commits
 * need, checks them one after the other in memory, and writes what they have changed. Because of the lock no two groups
 * of any processes run at once, so commits never meet a conflict that is not one.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { Mutex, refusal } from '../../../base/index.ts'
import { CatalogConflict, type Committed } from '../../ports/catalog-port.ts'
import type { DocumentKey } from '../../ports/document-key.ts'
import type { Database, SqlClient } from '../connection/database.ts'
import { isDuplicate, isRetried, messageOfPostgres } from '../connection/postgres-away.ts'
import { fromStored } from '../connection/stored-text.ts'
import { loadFor } from './commit-load.ts'
import { CommitState, type WantedCommit } from './commit-state.ts'
import { type SqlStatement, statementsOf, writeChanges } from './commit-write.ts'
import { CHANGES_KEPT, type CommittedChanges, HistoryLost } from './committed-changes.ts'
import type { HandleSupply } from './handle-supply.ts'

/** Writes of one group: what is held in memory for it, and how long others wait for the lock. */
const WRITES_PER_GROUP = 5_000
/** Commits that wait for their group; a caller that comes then has to come again. */
const JOBS_WAITING_MAX = 10_000
const TRIES_MAX = 5
const RETRY_MS = 50
/** A commit whose answer was lost is looked for this long; a standby is promoted within that. */
const RESOLVE_MS_MAX = 10_000
const RESOLVE_AGAIN_MS = 250
/** How often, by changes, the log is cut and old commit keys are deleted. */
const CHANGES_PER_TRIM = 1_000
/** Keys are asked for within seconds of the commit. */
const COMMIT_KEYS_KEPT = '1 day'

/** On this channel every commit notifies all processes. */
export const COMMIT_CHANNEL = 'weir_catalog'

interface CommitJob extends PromiseWithResolvers<Committed> {
  readonly commit: WantedCommit
}

interface PurgeJob extends PromiseWithResolvers<number> {
  readonly nowMs: number
  readonly limit: number
}

type Job = CommitJob | PurgeJob

/** The outcome of an attempt: its callers have their answers, or it is certain or uncertain that nothing was written. */
type Outcome =
  | { readonly type: 'made'; readonly notify: () => void }
  | { readonly type: 'failed'; readonly error: unknown }
  | { readonly type: 'unknown'; readonly error: unknown; readonly made: Made }

/** A group of which the database has been asked to commit. */
interface Made {
  readonly commitKey: string
  readonly cursor: number
  readonly notify: () => void
}

/** A group that is checked. */
interface Begun {
  readonly state: CommitState
  readonly lastChange: number
}

/** A group that is ready to be written; `made` is undefined when there is nothing to write. */
interface Prepared {
  readonly notify: () => void
  readonly made: Made | undefined
  readonly statements: readonly SqlStatement[]
}

interface CommitterParts {
  readonly database: Database
  readonly log: CommittedChanges
  readonly handles: HandleSupply
  /** Called when the database has lost commits that this process knows of. */
  readonly onHistoryLost: (error: Error) => void
}

/** The writer of the catalog in this process. */
export class Committer {
  /** What others know its commits by. */
  readonly name = randomUUID()
  readonly #parts: CommitterParts
  readonly #turn = new Mutex()
  #queue: Job[] = []
  #isWorking = false
  #isClosed = false

  constructor(parts: CommitterParts) {
    this.#parts = parts
  }

  /** Makes a commit with others that wait; rejects as CatalogStore.commit() does. */
  commit(commit: WantedCommit): Promise<Committed> {
    const job = { commit, ...Promise.withResolvers<Committed>() }
    this.#enqueue(job)
    return job.promise
  }

  /** Deletes documents that have expired; returns how many. */
  purge(nowMs: number, limit: number): Promise<number> {
    const job = { nowMs, limit, ...Promise.withResolvers<number>() }
    this.#enqueue(job)
    return job.promise
  }

  /** Waits for all commits that were asked for before. */
  async settled(): Promise<void> {
    await this.#turn.run(async () => {})
  }

  /** Ends when what was asked for is made. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.settled()
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
    while (this.#queue.length > 0) await this.#finish(this.#takeGroup())
    this.#isWorking = false
  }

  #takeGroup(): Job[] {
    let writes = 0
    const count = this.#queue.findIndex((job, at) => {
      writes += 'commit' in job ? writesOf(job.commit) : job.limit
      return at > 0 && writes > WRITES_PER_GROUP
    })
    return this.#queue.splice(0, count < 0 ? this.#queue.length : count)
  }

  /** Tries a group until it is made, or it is certain that it cannot be; answers all callers. */
  async #finish(jobs: readonly Job[]): Promise<void> {
    const group = await this.#withHandles(jobs)
    if (group.length === 0) return
    for (let tries = 1; ; tries++) {
      const { position } = this.#parts.handles
      const outcome = await this.#try(group)
      if (outcome.type === 'made') return outcome.notify()
      if (outcome.type === 'unknown') {
        const isMade = await this.#resolve(outcome.made)
        if (isMade === true) return
        if (isMade === undefined) return rejectAll(group, outcome.error)
      }
      this.#parts.handles.goBack(position)
      const { error } = outcome
      if (error instanceof HistoryLost) this.#parts.onHistoryLost(error)
      if (isDuplicate(error)) return await this.#finishDuplicate(group, error)
      const isRepeated = outcome.type === 'unknown' || isRetried(error)
      if (!isRepeated || tries >= TRIES_MAX) return rejectAll(group, error)
      await pause(RETRY_MS * tries)
    }
  }

  /** A UID that is taken without being loaded, such as a stream's of another component: its commit alone is refused. */
  async #finishDuplicate(group: readonly Job[], error: unknown): Promise<void> {
    if (group.length > 1) {
      for (const job of group) await this.#finish([job])
      return
    }
    const [job] = group
    if (!('commit' in job)) return job.reject(error)
    const { orgUid, kind, uid } = job.commit.writes[0]
    job.reject(new CatalogConflict({ orgUid, kind, uid }, undefined))
  }

  /** The jobs for which there are handles; the others are rejected with the reason. */
  async #withHandles(jobs: readonly Job[]): Promise<readonly Job[]> {
    const { handles, database } = this.#parts
    const needed = jobs.reduce((sum, job) => sum + handlesOf(job), 0)
    if (handles.has(needed)) return jobs
    try {
      const [row] = await database.read('SELECT coalesce(max(handle), 0) FROM stream')
      await handles.ensure(needed, row[0] as number)
      return jobs
    } catch (error) {
      for (const job of jobs) if (handlesOf(job) > 0) job.reject(error)
      return jobs.filter((job) => handlesOf(job) === 0)
    }
  }

  async #try(group: readonly Job[]): Promise<Outcome> {
    let sent: Made | undefined
    try {
      return await this.#parts.database.withClient(async (client) => {
        const begun = await this.#begin(client, group)
        const { made, statements } = begun
        if (made === undefined) {
          await client.run('COMMIT')
          return { type: 'made', notify: begun.notify }
        }
        sent = made
        return await this.#end(client, statements, made)
      })
    } catch (error) {
      return sent === undefined ? { type: 'failed', error } : { type: 'unknown', error, made: sent }
    }
  }

  /** Locks the catalog, checks the commits in memory, and prepares what they write; rolls back when that fails. */
  async #begin(client: SqlClient, group: readonly Job[]): Promise<Prepared> {
    const { log, handles } = this.#parts
    const check = log.checkOfHistory()
    const locking = Promise.all([
      client.run('BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE'),
      client.run('SELECT last_change, last_component FROM head FOR UPDATE'),
      client.run(check.sql, check.params),
    ])
    locking.catch(() => {})
    try {
      const due = new Map<Job, DocumentKey[]>()
      for (const job of group) {
        if (!('commit' in job)) due.set(job, await selectDue(client, job))
      }
      const commits = group.flatMap((job) => ('commit' in job ? [job.commit] : []))
      const loading = loadFor(client, commits, [...due.values()].flat())
      const [[, locked, checked], loaded] = await Promise.all([locking, loading])
      check.require(checked.rows)
      const [lastChange, lastComponent] = locked.rows[0] as [number, number]
      const state = new CommitState({ ...loaded, lastComponent }, handles)
      const outcomes = group.map((job) => outcomeOf(job, state, due.get(job) ?? []))
      const notify = () => {
        for (const one of outcomes) one()
      }
      const { length } = state.changes
      if (length === 0) return { notify, made: undefined, statements: [] }
      const made = { commitKey: randomUUID(), cursor: lastChange + length, notify }
      return { notify, made, statements: this.#statementsOf({ state, lastChange }, made) }
    } catch (error) {
      await client.run('ROLLBACK').catch(() => {})
      throw error
    }
  }

  /** Writes and commits in one round trip. */
  async #end(client: SqlClient, statements: readonly SqlStatement[], made: Made): Promise<Outcome> {
    const sent = statements.map(({ sql, params }) => client.run(sql, params))
    const commit = client.run('COMMIT')
    const [written, committed] = await Promise.all([
      Promise.allSettled(sent),
      commit.catch((error: unknown) => ({ error })),
    ])
    if ('error' in committed) throw committed.error
    if (committed.command === 'COMMIT') {
      this.#noteMade(made)
      return { type: 'made', notify: made.notify }
    }
    const failed = written.find((one) => one.status === 'rejected')
    return { type: 'failed', error: failed?.reason ?? new Error('The commit was rolled back') }
  }

  /** All that a group writes. */
  #statementsOf({ state, lastChange }: Begun, { commitKey, cursor }: Made): SqlStatement[] {
    return [
      ...statementsOf(state),
      writeChanges(state.changes, { lastChange, commitKey }),
      {
        sql: 'UPDATE head SET last_change = $1, last_component = $2',
        params: [cursor, state.lastComponent],
      },
      { sql: 'INSERT INTO commit_key (key) VALUES ($1)', params: [commitKey] },
      ...trimStatements(lastChange, cursor),
      { sql: `SELECT pg_notify('${COMMIT_CHANNEL}', $1)`, params: [this.name] },
    ]
  }

  #noteMade({ commitKey, cursor }: Made): void {
    this.#parts.log.noteOwn(commitKey, cursor)
  }

  /**
   * Finds out whether a group was committed whose answer was lost. The lock of the catalog is free only when its
   * transaction has ended, so its key is there by then or never. Undefined: nobody knows.
   */
  async #resolve(made: Made): Promise<boolean | undefined> {
    const deadline = performance.now() + RESOLVE_MS_MAX
    while (performance.now() < deadline) {
      try {
        const isMade = await this.#parts.database.transaction(async (client) => {
          await client.run('SELECT last_change FROM head FOR UPDATE')
          const found = await client.run('SELECT 1 FROM commit_key WHERE key = $1', [
            made.commitKey,
          ])
          return found.rows.length > 0
        })
        if (!isMade) return false
        this.#noteMade(made)
        made.notify()
        return true
      } catch {
        await pause(RESOLVE_AGAIN_MS)
      }
    }
    return undefined
  }
}

/** Applies a job; returns how to answer its caller once the group is committed. */
function outcomeOf(job: Job, state: CommitState, due: readonly DocumentKey[]): () => void {
  if (!('commit' in job)) {
    const count = state.purge(due, job.nowMs)
    return () => job.resolve(count)
  }
  try {
    const committed = state.apply(job.commit)
    return () => job.resolve(committed)
  } catch (error) {
    return () => job.reject(error)
  }
}

async function selectDue(client: SqlClient, { nowMs, limit }: PurgeJob): Promise<DocumentKey[]> {
  const { rows } = await client.run(
    `SELECT org, kind, uid FROM document WHERE expires_at_ms <= $1 ORDER BY expires_at_ms LIMIT $2`,
    [nowMs, limit],
  )
  return rows.map((row) => {
    const [orgUid, kind, uid] = (row as string[]).map(fromStored)
    return { orgUid, kind, uid }
  })
}

function trimStatements(before: number, after: number): SqlStatement[] {
  if (Math.floor(before / CHANGES_PER_TRIM) === Math.floor(after / CHANGES_PER_TRIM)) return []
  const keys = `DELETE FROM commit_key WHERE made_at < now() - interval '${COMMIT_KEYS_KEPT}'`
  return [
    { sql: 'DELETE FROM change WHERE cursor <= $1', params: [after - CHANGES_KEPT] },
    { sql: keys, params: [] },
  ]
}

function writesOf({ writes }: WantedCommit): number {
  return writes.reduce(
    (sum, write) => sum + (write.op === 'create' ? write.uids.length + write.streamIds.length : 1),
    0,
  )
}

function handlesOf(job: Job): number {
  if (!('commit' in job)) return 0
  return job.commit.writes.reduce((sum, write) => {
    if (write.op === 'create') return sum + write.streamIds.length
    return sum + (write.op === 'put_stream' ? 1 : 0)
  }, 0)
}

function rejectAll(jobs: readonly Job[], error: unknown): void {
  const message = messageOfPostgres(error)
  for (const job of jobs) job.reject(message)
}
