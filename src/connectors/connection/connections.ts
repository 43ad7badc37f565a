import type { Static } from 'typebox'
import { type Principal, requirePermit } from '../../access/index.ts'
import type { SecretBox } from '../../auth/index.ts'
import { type Clock, refuse } from '../../base/index.ts'
import type { Author, Catalog } from '../../catalog/index.ts'
import {
  type Page,
  type RecordList,
  refuseUnknown,
  type SimpleRecords,
} from '../../catalog/record/index.ts'
import { checkText, refuseField, shapeCheck } from '../../catalog/shape/index.ts'
import {
  DatabaseFailure,
  type DatabaseLimits,
  type DatabaseTarget,
  type Row,
} from '../database/database-port.ts'
import type { DatabaseSession } from '../database/database-session.ts'
import { openDatabase } from '../database/open-database.ts'
import type { OutboundRules } from '../outbound/outbound-rules.ts'
import { PROC_SQL_LENGTH_MAX } from '../record/connector-shape.ts'
import { connectionRules, passwordOwner } from './connection-rules.ts'
import { type ConnectionBody, previewShape } from './connection-shape.ts'

/** A connection as callers see it: that there is a password, and nothing of it. */
type ConnectionRecord = Omit<ConnectionBody, 'sealedPassword'> & {
  readonly uid: string
  readonly hasPassword: boolean
  readonly revision: number
}

/** What came of trying a connection. */
interface ConnectionTest {
  readonly isOk: boolean
  /** What the server says it is, or why there is no session with it. */
  readonly message: string
  /** A word for programs: `ok`, or why not. */
  readonly reason: string
  readonly tookMs: number
}

interface Deps {
  readonly catalog: Pick<Catalog, 'recordsOf'>
  readonly box: SecretBox
  readonly rules: OutboundRules
  readonly clock: Clock
  /** The lowest role that may change connections. */
  readonly changeRole: 'MEMBER' | 'ADMIN'
  /** Where add-on drivers are installed; undefined: the default. */
  readonly driversDir: string | undefined
  /** Names the connectors that use a connection. */
  readonly findUses: (principal: Principal, uid: string) => Promise<readonly string[]>
}

/** A trial that takes longer is of no use to the one who waits for it. */
const TEST_LIMITS: DatabaseLimits = { connectMs: 10_000, answerMs: 5_000 }
/** A preview waits for a statement that somebody is writing. */
const PREVIEW_LIMITS: DatabaseLimits = { connectMs: 10_000, answerMs: 20_000 }
/** As many rows as show what a statement returns, with as much of each cell as a page shows. */
const PREVIEW_ROWS = 20
const PREVIEW_COLUMNS = 50
const PREVIEW_CELL_LENGTH = 200
/** Trials at a time: each holds a socket to a host that someone has chosen. */
const TESTS_MAX = 8
const TESTS_PER_ORGANIZATION_MAX = 2

/** The first rows of a statement, or why there are none. */
interface RowPreview extends ConnectionTest {
  readonly columns: readonly string[]
  readonly rows: readonly Row[]
  readonly hasMore: boolean
}

/** What is done with a session that is opened to try a connection. */
interface Trial {
  readonly limits: DatabaseLimits
  readonly signal: AbortSignal
  readonly read?: (session: DatabaseSession) => Promise<void>
}

const checkPreview = shapeCheck('', previewShape)

/** Databases that imports read: get, list, insert, update, delete and trial, each checked against the caller's rights. */
export class Connections {
  readonly #records: SimpleRecords<ConnectionBody>
  readonly #deps: Deps
  readonly #testing = new Map<string, number>()

  constructor(deps: Deps) {
    this.#deps = deps
    const seal = (password: string, owner: string) => deps.box.seal(password, owner)
    this.#records = deps.catalog.recordsOf(connectionRules(seal), deps.findUses)
  }

  /** A connection that is not saved. */
  make(principal: Principal): ConnectionRecord {
    return shown(this.#records.make(principal))
  }

  async get(principal: Principal, uid: string): Promise<ConnectionRecord> {
    return shown(await this.#records.get(principal, uid))
  }

  async list(principal: Principal, page: Page): Promise<RecordList<ConnectionRecord>> {
    const { records, totalCount } = await this.#records.list(principal, page)
    return { records: records.map(shown), totalCount }
  }

  async insert(principal: Author, input: unknown): Promise<ConnectionRecord> {
    this.#requireChangeRole(principal)
    return shown(await this.#records.insert(principal, input))
  }

  async update(principal: Author, uid: string, input: unknown): Promise<ConnectionRecord> {
    this.#requireChangeRole(principal)
    return shown(await this.#records.update(principal, uid, input))
  }

  async delete(principal: Author, uid: string): Promise<void> {
    this.#requireChangeRole(principal)
    await this.#records.delete(principal, uid)
  }

  /** Whether an organization has a connection. */
  async has(orgUid: string, uid: string): Promise<boolean> {
    return (await this.#records.find(orgUid, uid)) !== undefined
  }

  /** A session with the database of a connection, without a check of rights: for imports. Throws a DatabaseFailure. */
  async open(
    place: { readonly orgUid: string; readonly uid: string },
    limits: DatabaseLimits,
    signal: AbortSignal,
  ): Promise<DatabaseSession> {
    const record = await this.#records.find(place.orgUid, place.uid)
    if (record === undefined)
      refuse('conflict', { what: 'The connection of this connector was deleted' })
    const target = this.#targetOf(place.orgUid, record)
    const { rules, driversDir } = this.#deps
    return await openDatabase(target, { rules, limits, signal, driversDir })
  }

  /** Signs in to the database and out again, and returns the outcome. The signal ends it. */
  async test(principal: Principal, uid: string, signal: AbortSignal): Promise<ConnectionTest> {
    requirePermit(principal, `connection/${uid}`, 'POST')
    const { orgUid } = principal
    const record = await this.#records.find(orgUid, uid)
    if (record === undefined) refuseUnknown('connection', uid)
    const target = this.#targetOf(orgUid, record)
    return await this.#inTurn(orgUid, () => this.#try(target, { limits: TEST_LIMITS, signal }))
  }

  /**
   * The first rows of a statement that need not be saved, for those who may change imports and test the connection. The
   * signal ends it, also on the server.
   */
  async preview(principal: Principal, input: unknown, signal: AbortSignal): Promise<RowPreview> {
    requirePermit(principal, 'connector', 'POST')
    checkPreview(input)
    const { connection, externalSql } = (input as Static<typeof previewShape>).preview
    requirePermit(principal, `connection/${connection.uid}`, 'POST')
    checkText('preview.externalSql', externalSql, PROC_SQL_LENGTH_MAX)
    if (externalSql.trim() === '') refuseField('preview.externalSql', 'must not be blank')
    const { orgUid } = principal
    const record = await this.#records.find(orgUid, connection.uid)
    if (record === undefined) refuseUnknown('connection', connection.uid)
    let found: Pick<RowPreview, 'columns' | 'rows' | 'hasMore'> = {
      columns: [],
      rows: [],
      hasMore: false,
    }
    const read = async (session: DatabaseSession) => {
      found = await firstRows(session, externalSql)
    }
    const target = this.#targetOf(orgUid, record)
    const trial = { limits: PREVIEW_LIMITS, signal, read }
    const outcome = await this.#inTurn(orgUid, () => this.#try(target, trial))
    return { ...outcome, ...found }
  }

  /** Does what holds a socket to a host that someone has chosen: a few at a time. */
  async #inTurn<T>(orgUid: string, act: () => Promise<T>): Promise<T> {
    const running = this.#testing.get(orgUid) ?? 0
    const total = this.#testing.values().reduce((sum, count) => sum + count, 0)
    if (running >= TESTS_PER_ORGANIZATION_MAX || total >= TESTS_MAX) {
      refuse('rate_limited', { retryAfterSeconds: 5 })
    }
    this.#testing.set(orgUid, running + 1)
    try {
      return await act()
    } finally {
      const left = (this.#testing.get(orgUid) ?? 1) - 1
      if (left === 0) this.#testing.delete(orgUid)
      else this.#testing.set(orgUid, left)
    }
  }

  /** API keys have what administrators gave them. */
  #requireChangeRole({ actor }: Principal): void {
    if (this.#deps.changeRole === 'MEMBER' || actor.kind !== 'user') return
    if (actor.role === 'OWNER' || actor.role === 'ADMIN') return
    const what = 'Only administrators can change connections (WEIR_CONNECTION_ROLE)'
    refuse('forbidden', { what })
  }

  async #try(target: DatabaseTarget, { limits, signal, read }: Trial): Promise<ConnectionTest> {
    const { rules, clock, driversDir } = this.#deps
    const start = clock.now()
    const outcome = (isOk: boolean, reason: string, message: string) => ({
      isOk,
      message,
      reason,
      tookMs: clock.now() - start,
    })
    try {
      const session = await openDatabase(target, { rules, limits, signal, driversDir })
      try {
        await read?.(session)
      } finally {
        await session.close()
      }
      const encrypted = target.tls === 'off' ? 'unencrypted' : 'encrypted'
      return outcome(true, 'ok', `Signed in to ${session.server}, ${encrypted}`)
    } catch (error) {
      if (!(error instanceof DatabaseFailure)) throw error
      return outcome(false, error.reason, error.message)
    }
  }

  #targetOf(orgUid: string, record: ConnectionBody): DatabaseTarget {
    const { kind, host, port, database, user, tls, sealedPassword } = record
    const target = { kind, host, port, database, user, tls }
    if (sealedPassword === '') return { ...target, password: '' }
    try {
      const password = this.#deps.box.open(sealedPassword, passwordOwner(orgUid, record))
      return { ...target, password }
    } catch {
      refuse('conflict', {
        what: 'This password was encrypted with another secret.key. Restore that file, or enter the password again',
      })
    }
  }
}

/** The first rows of a statement, cut to what a page shows. */
async function firstRows(session: DatabaseSession, sql: string) {
  let names: readonly string[] = []
  const rows: Row[] = []
  for await (const batch of session.read(sql, PREVIEW_ROWS + 1)) {
    names = batch.columns
    rows.push(...batch.rows)
  }
  const cut = (row: Row) =>
    row.slice(0, PREVIEW_COLUMNS).map((cell) => cell?.slice(0, PREVIEW_CELL_LENGTH) ?? null)
  return {
    columns: cut(names).map(String),
    rows: rows.slice(0, PREVIEW_ROWS).map(cut),
    hasMore: rows.length > PREVIEW_ROWS,
  }
}

function shown(record: ConnectionBody & { uid: string; revision: number }): ConnectionRecord {
  const { sealedPassword, ...rest } = record
  return { ...rest, hasPassword: sealedPassword !== '' }
}
