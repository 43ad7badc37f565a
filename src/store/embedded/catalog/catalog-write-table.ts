/** The transactions in which the writer thread changes catalog.db. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { DocumentKey } from '../../ports/document-key.ts'
import { ChangeLog } from './catalog-changes.ts'
import { checkOfScope } from './catalog-checks.ts'
import { CatalogLeases } from './catalog-lease-table.ts'
import { CatalogScopes } from './catalog-scopes.ts'
import { type Tally, TallyCounter } from './catalog-tally.ts'
import { CatalogTallies } from './catalog-tally-table.ts'
import { ComponentReader } from './component/component-reader.ts'
import { ComponentTable } from './component/component-table.ts'
import { StreamReader } from './component/stream-reader.ts'
import { StreamTable } from './component/stream-table.ts'
import { TextTable } from './component/text-table.ts'
import { DocumentTable } from './document-table.ts'
import { LastNumbers } from './last-numbers.ts'
import { replaceIndexes } from './scrub/catalog-structure.ts'

/** All tables of catalog.db for its one writer; the caller opens and ends transactions through it. */
export class CatalogWriteTable {
  readonly #db: DatabaseSync
  readonly #statements: ReturnType<typeof prepareAll>
  readonly #scopes: CatalogScopes
  readonly #texts: TextTable
  readonly changes: ChangeLog
  readonly documents: DocumentTable
  readonly components: ComponentReader
  readonly componentTable: ComponentTable
  readonly streams: StreamReader
  readonly streamTable: StreamTable
  /** The last handle and the last number of a component: none is given twice. */
  readonly numbers: LastNumbers
  readonly leases: CatalogLeases
  readonly tallies: CatalogTallies

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#statements = prepareAll(db)
    this.#scopes = new CatalogScopes(db)
    this.#texts = new TextTable(db)
    this.tallies = new CatalogTallies(db, new TallyCounter(db, this.#scopes, this.#texts))
    this.changes = new ChangeLog(db)
    this.documents = new DocumentTable(db, this.#scopes)
    this.numbers = new LastNumbers(db)
    this.components = new ComponentReader(db, this.#scopes, this.#texts)
    this.componentTable = new ComponentTable(db, this.components, this.#texts)
    this.streams = new StreamReader(db, {
      components: this.components,
      scopes: this.#scopes,
      texts: this.#texts,
    })
    this.streamTable = new StreamTable(db, this.#texts)
    this.leases = new CatalogLeases(db)
  }

  begin(): void {
    this.#statements.begin.run()
  }

  commit(): void {
    this.changes.write()
    this.numbers.write()
    this.tallies.write()
    this.#statements.commit.run()
    this.numbers.settle()
  }

  /** Gives back what was kept ahead and trims the log; the last transaction. */
  close(): void {
    this.begin()
    this.changes.trim()
    this.numbers.writeExactly()
    this.commit()
  }

  /** Ends the transaction with nothing kept; SQLite may have done so itself after a full disk. */
  rollback(): void {
    this.#forgetStep()
    this.numbers.forget()
    this.tallies.forget()
    if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
  }

  /** Runs a step of the transaction; when it throws, the transaction is to be rolled back. */
  run<T>(step: () => T): T {
    const result = step()
    this.tallies.settleStep()
    return result
  }

  /** Runs a step of the transaction that leaves nothing behind when it throws; slower than run(). */
  atomically<T>(step: () => T): T {
    const before = this.numbers.remember()
    // What steps before have changed stays, whatever comes of this one.
    this.changes.write()
    this.#statements.savepoint.run()
    try {
      const result = this.run(step)
      this.changes.write()
      this.#statements.release.run()
      return result
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK TO step; RELEASE step')
      this.#forgetStep()
      // They are written when the transaction ends: what steps before have given stands in memory only.
      this.numbers.goBack(before)
      throw error
    }
  }

  #forgetStep(): void {
    this.#scopes.clear()
    this.#texts.clear()
    this.tallies.forgetStep()
    this.changes.forget()
  }

  /** The number of an organization, which gets one when it has none. */
  scopeOf(orgUid: string): number {
    const known = this.#scopes.find(orgUid)
    if (known !== undefined) return known
    const stored = orgUid.toWellFormed()
    const scope = Number(this.#statements.insertScope.run(stored).lastInsertRowid)
    this.#statements.checkScope.run(checkOfScope(scope, stored), scope)
    return scope
  }

  /** Counts something that was made, changed or deleted. */
  count({ orgUid, kind }: Pick<DocumentKey, 'orgUid' | 'kind'>, delta: Tally): void {
    this.tallies.add(this.scopeOf(orgUid), kind, delta)
  }

  /** Builds the indexes of tables again from their rows. */
  rebuildIndexes(tables: readonly string[]): undefined {
    replaceIndexes(this.#db, tables)
    return undefined
  }
}

function prepareAll(db: DatabaseSync) {
  const prepare = (sql: string): StatementSync => db.prepare(sql)
  return {
    begin: prepare('BEGIN IMMEDIATE'),
    commit: prepare('COMMIT'),
    savepoint: prepare('SAVEPOINT step'),
    release: prepare('RELEASE step'),
    insertScope: prepare('INSERT INTO scope (org_uid) VALUES (?)'),
    checkScope: prepare('UPDATE scope SET crc = ? WHERE scope = ?'),
  }
}
