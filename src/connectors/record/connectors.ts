import { allows, type Principal, requirePermit } from '../../access/index.ts'
import { type Identity, nameOf } from '../../auth/index.ts'
import { Refusal } from '../../base/index.ts'
import type { Author, Catalog } from '../../catalog/index.ts'
import {
  type Page,
  type RecordList,
  refuseUnknown,
  type SimpleRecords,
} from '../../catalog/record/index.ts'
import { refuseField } from '../../catalog/shape/index.ts'
import type { PayloadStore } from '../../store/index.ts'
import {
  type CheckSql,
  CONNECTOR_KIND,
  connectorRules,
  type PrepareSql,
} from './connector-rules.ts'
import type { Connector, ConnectorBody, ConnectorProc } from './connector-shape.ts'
import { type RunAs, requireRunAs } from './require-run-as.ts'

/** A connector as callers see it; where its sink is depends on how they reach the service. */
type ShownConnector = Omit<ConnectorBody, 'runningUser'> & {
  readonly uid: string
  readonly runningUser: { readonly uid: string; readonly name: string }
  /** When it runs by itself, epoch ms; null where it does not. */
  readonly nextRun: number | null
  readonly revision: number
}

type Kept = ConnectorBody & { readonly uid: string; readonly revision: number }

/** Saves of others may come in between; more than this many do not. */
const UPDATE_TRIES = 5
/** Of the uses of a connection, in a message. */
const USES_NAMED_MAX = 5
const USES_PAGE = 100
/** Of the procs of a connector; it hardly ever has more than one. */
const PREPARED_MAX = 10

interface ConnectorsDeps {
  readonly catalog: Catalog
  readonly users: Identity['users']
  readonly payloads: Pick<PayloadStore, 'deleteOf'>
  readonly checkSql: CheckSql
  readonly prepareSql: PrepareSql
  readonly hasConnection: (orgUid: string, uid: string) => Promise<boolean>
}

/** Called with connectors once they are saved, and of those that are gone; knows when they run. */
interface ConnectorListener {
  onSaved(connector: Connector): Promise<void>
  onDeleted(connector: Pick<Connector, 'orgUid' | 'uid'>): Promise<void>
  /** When a connector runs by itself; undefined where it does not. */
  nextRunOf(connectorUid: string): Promise<number | undefined>
}

/** Connectors: get, list, insert, update, delete, each checked against the caller's rights. */
export class Connectors {
  readonly #deps: ConnectorsDeps
  readonly #records: SimpleRecords<ConnectorBody>
  #listener: ConnectorListener | undefined

  constructor(deps: ConnectorsDeps) {
    this.#deps = deps
    this.#records = deps.catalog.recordsOf(connectorRules(deps.checkSql, deps.hasConnection))
  }

  /** Adds a listener of saves and deletions, which wait for it. */
  onChange(listener: ConnectorListener): void {
    this.#listener = listener
  }

  /** A connector that is not saved; it would run as its caller. */
  async make(principal: Principal): Promise<ShownConnector> {
    const { actor } = principal
    const uid = actor.kind === 'user' ? actor.userUid : ''
    return await this.#show({ ...this.#records.make(principal), runningUser: { uid } })
  }

  async get(principal: Principal, uid: string): Promise<ShownConnector> {
    return await this.#show(await this.#records.get(principal, uid))
  }

  async list(principal: Principal, page: Page): Promise<RecordList<ShownConnector>> {
    const { records, totalCount } = await this.#records.list(principal, page)
    return { records: await Promise.all(records.map((one) => this.#show(one))), totalCount }
  }

  async insert(principal: Author, input: unknown): Promise<ShownConnector> {
    requirePermit(principal, CONNECTOR_KIND, 'PUT')
    const uid = runningUserIn(input)
    if (uid !== undefined) await this.#requireRunAs(principal, uid)
    await this.#prepareSql(input)
    return await this.#saved(principal, await this.#records.insert(principal, input))
  }

  /**
   * Anyone who changes a connector decides what runs as its user. So the permission is checked on the record that is
   * saved, not on an earlier version.
   */
  async update(principal: Author, uid: string, input: unknown): Promise<ShownConnector> {
    requirePermit(principal, `${CONNECTOR_KIND}/${uid}`, 'POST')
    await this.#prepareSql(input)
    for (let tries = 1; ; tries += 1) {
      const before = await this.#records.find(principal.orgUid, uid)
      const runAs = runningUserIn(input) ?? before?.runningUser.uid
      if (before !== undefined && runAs !== undefined) await this.#requireRunAs(principal, runAs)
      const seen = isRecord(input) && input.revision === undefined ? before?.revision : undefined
      const expecting = seen === undefined ? input : { ...(input as object), revision: seen }
      try {
        return await this.#saved(principal, await this.#records.update(principal, uid, expecting))
      } catch (error) {
        const isStale = error instanceof Refusal && error.code === 'conflict'
        if (!isStale || seen === undefined || tries >= UPDATE_TRIES) throw error
      }
    }
  }

  async #prepareSql(input: unknown): Promise<void> {
    for (const proc of procsIn(input)) await this.#deps.prepareSql(proc)
  }

  /** Deletes a connector with all that it was given. */
  async delete(principal: Author, uid: string): Promise<void> {
    await this.#records.delete(principal, uid)
    await this.#listener?.onDeleted({ orgUid: principal.orgUid, uid })
    await this.#deps.payloads.deleteOf(uid)
  }

  /** The connector with an ID, without a check of rights. */
  async findById(orgUid: string, id: string): Promise<Connector | undefined> {
    const found = await this.#records.findById(orgUid, id)
    return found === undefined ? undefined : { orgUid, ...found }
  }

  /** The connector with a UID, without a check of rights. */
  async find(orgUid: string, uid: string): Promise<Connector | undefined> {
    const found = await this.#records.find(orgUid, uid)
    return found === undefined ? undefined : { orgUid, ...found }
  }

  /** The connector with a UID, for a caller who may use a method on it. */
  async require(principal: Principal, uid: string, method: 'GET' | 'POST'): Promise<Connector> {
    requirePermit(principal, `${CONNECTOR_KIND}/${uid}`, method)
    const found = await this.find(principal.orgUid, uid)
    if (found !== undefined) return found
    refuseUnknown('connector', uid)
  }

  /** Names the connectors that read a connection, a few of them; what the caller may not see is not named. */
  async listUsing(principal: Principal, connectionUid: string): Promise<string[]> {
    const { orgUid } = principal
    const names: string[] = []
    for (let start = 0; names.length <= USES_NAMED_MAX; start += USES_PAGE) {
      const page = await this.#records.listAll(orgUid, { start, limit: USES_PAGE })
      for (const { uid, id, connection } of page) {
        if (connection?.uid !== connectionUid) continue
        const isSeen = allows(principal, `${CONNECTOR_KIND}/${uid}`, 'GET')
        names.push(isSeen ? `connector "${id.slice(0, 60)}"` : 'a connector that you cannot access')
      }
      if (page.length < USES_PAGE) break
    }
    return names.slice(0, USES_NAMED_MAX)
  }

  /** The user as whom a connector runs; undefined when there is none in the organization any more. */
  async findRunAs(orgUid: string, userUid: string): Promise<RunAs | undefined> {
    const { users } = this.#deps
    const user = users.peek(userUid) ?? (await users.find(userUid))
    const membership = user?.memberships.find((one) => one.orgUid === orgUid)
    return membership && { uid: userUid, role: membership.role }
  }

  async #saved({ orgUid }: Principal, record: Kept): Promise<ShownConnector> {
    await this.#listener?.onSaved({ orgUid, ...record })
    return await this.#show(record)
  }

  async #requireRunAs(principal: Principal, userUid: string): Promise<void> {
    const user = await this.findRunAs(principal.orgUid, userUid)
    if (user === undefined) {
      refuseField('connector.runningUser', 'is not a user of this organization')
    }
    requireRunAs(principal, user)
  }

  async #show({ runningUser: { uid: userUid }, ...record }: Kept): Promise<ShownConnector> {
    const user = userUid === '' ? undefined : await this.#deps.users.find(userUid)
    const name = user === undefined ? '' : nameOf(user)
    const { uid, id, revision, ...rest } = record
    const isScheduled = uid !== '' && rest.isEnabled && (rest.schedule ?? null) !== null
    const nextRun = (isScheduled ? await this.#listener?.nextRunOf(uid) : undefined) ?? null
    return { uid, id, ...rest, runningUser: { uid: userUid, name }, nextRun, revision }
  }
}

/** The user that an input names; undefined where it names none, or is none that can be read. */
/** Statements in a record that is not checked yet. */
function procsIn(input: unknown): ConnectorProc[] {
  const procs = isRecord(input) && Array.isArray(input.procs) ? input.procs : []
  return procs.slice(0, PREPARED_MAX).flatMap((proc: unknown) => {
    if (!isRecord(proc) || typeof proc.sql !== 'string') return []
    const zone = typeof proc.timeZoneId === 'string' ? proc.timeZoneId : ''
    return [{ sql: proc.sql, timeZoneId: zone || 'UTC' }]
  })
}

function runningUserIn(input: unknown): string | undefined {
  const user = isRecord(input) ? input.runningUser : undefined
  const uid = isRecord(user) ? user.uid : undefined
  return typeof uid === 'string' && uid !== '' ? uid : undefined
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
