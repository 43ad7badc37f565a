import { type Principal, requirePermit } from '../access/index.ts'
import { type EpochMs, refuse } from '../base/index.ts'
import type { Author, Catalog } from '../catalog/index.ts'
import type { Page } from '../catalog/record/index.ts'
import type { GqlOutcome, GqlRun } from './gql-run.ts'
import type { GqlRuns } from './gql-runs.ts'
import { type GqlLanguage, gqlLanguage } from './language.ts'

/** A text that somebody runs, and what becomes of its rows. */
export interface QueryCall
  extends Pick<GqlRun, 'onRows' | 'onHanded' | 'renew' | 'signal' | 'isDry'> {
  readonly sql: string
  readonly timeZoneId: string
  readonly now: EpochMs
  /** What @FROM and @UNTIL are; NULL where it says none. */
  readonly range?: QueryRange
}

/** The stretch of time that somebody looks at, epoch ms, its end not included. */
export interface QueryRange {
  readonly from?: number
  readonly until?: number
}

/** What is run again from a record, and what becomes of its rows. */
type SavedCall = Pick<QueryCall, 'onRows' | 'onHanded' | 'signal' | 'now' | 'range'>

/** Texts of GS SQL that people and programs run and save; each operation checks the caller's rights. */
export class Queries {
  readonly #runs: GqlRuns
  readonly #records: Catalog['queries']

  constructor({ runs, catalog }: { readonly runs: GqlRuns; readonly catalog: Catalog }) {
    this.#runs = runs
    this.#records = catalog.queries
  }

  /** Refuses a caller who may not run queries, by GET such that store nothing, before its text is looked at. */
  permit(principal: Principal, method: 'GET' | 'POST'): void {
    requirePermit(principal, 'query', method)
  }

  /** Runs SET and SELECT. */
  select(principal: Principal, call: Omit<QueryCall, 'isDry' | 'renew'>): Promise<GqlOutcome> {
    this.permit(principal, 'GET')
    return this.#run(principal, { ...call, isDry: false }, false)
  }

  /** Runs SET, SELECT and INSERT; a dry run returns the samples it would store. */
  run(principal: Principal, call: QueryCall): Promise<GqlOutcome> {
    this.permit(principal, 'POST')
    return this.#run(principal, call, true)
  }

  /** Looks for the first mistake of a text, and runs nothing. */
  async check(principal: Principal, { sql, timeZoneId }: Pick<QueryCall, 'sql' | 'timeZoneId'>) {
    this.permit(principal, 'GET')
    const allows = { insert: true, stored: true }
    const found = await this.#runs.mistakeIn({ sql, timeZoneId, allows })
    if (found === undefined) return { isValid: true, error: null }
    const { message, line, column, length, pointer } = found
    return { isValid: false, error: { message, line, column, length, pointer } }
  }

  /** What can be written in GS SQL. */
  language(principal: Principal): GqlLanguage {
    this.permit(principal, 'GET')
    return gqlLanguage()
  }

  /** Runs the SETs and SELECTs of a saved query. */
  async runSaved(principal: Principal, uid: string, call: SavedCall): Promise<GqlOutcome> {
    const { sql, timeZoneId } = await this.#records.get(principal, uid)
    return await this.#run(principal, { ...call, sql, timeZoneId, isDry: false }, false)
  }

  make(principal: Principal) {
    return this.#records.make(principal)
  }

  get(principal: Principal, uid: string) {
    return this.#records.get(principal, uid)
  }

  list(principal: Principal, page: Page) {
    return this.#records.list(principal, page)
  }

  /** Saves a query whose text has no mistake. */
  async insert(principal: Author, input: unknown) {
    const { sql, timeZoneId } = await this.#records.check(principal, input)
    await this.#check(sql, timeZoneId)
    return await this.#records.insert(principal, input)
  }

  /** Changes a query; its text must have no mistake. */
  async update(principal: Author, uid: string, input: unknown) {
    requirePermit(principal, `query/${uid}`, 'POST')
    const { sql, timeZoneId } = (input ?? {}) as { sql?: unknown; timeZoneId?: unknown }
    if (typeof sql === 'string') {
      await this.#check(sql, typeof timeZoneId === 'string' ? timeZoneId : '')
    }
    return await this.#records.update(principal, uid, input)
  }

  delete(principal: Author, uid: string) {
    return this.#records.delete(principal, uid)
  }

  async #check(sql: string, timeZoneId: string): Promise<void> {
    if (sql.trim() === '') refuse('bad_input', { what: 'query.sql is missing', field: 'query.sql' })
    // The record reports a wrong zone.
    const zone = timeZoneId === '' ? 'UTC' : timeZoneId
    const text = { sql, timeZoneId: zone, allows: { insert: true, stored: true } }
    await this.#runs.prepare(text)
    this.#runs.check(text)
  }

  #run(principal: Principal, call: QueryCall, mayInsert: boolean): Promise<GqlOutcome> {
    return this.#runs.run({
      ...call,
      principal,
      organizationUid: principal.orgUid,
      variables: variablesOf(call.range),
      allows: { insert: mayInsert, stored: true },
      mistake: 'bad_sql',
    })
  }
}

function variablesOf({ from, until }: QueryRange = {}): ReadonlyMap<string, bigint> {
  const variables = new Map<string, bigint>()
  if (from !== undefined) variables.set('@FROM', BigInt(from))
  if (until !== undefined) variables.set('@UNTIL', BigInt(until))
  return variables
}
