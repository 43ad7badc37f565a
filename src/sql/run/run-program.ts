/** Runs a compiled program in a runner, statement by statement. */
import type { StatementSync } from 'node:sqlite'
import type {
  CompiledQuery,
  CompiledSource,
  CompiledSql,
  CompiledStatement,
  CompiledText,
} from '../compiled-sql.ts'
import { SqlFailure } from '../sql-failure.ts'
import type { RowCell } from './cell-codec.ts'
import { placeFailure } from './placed-failure.ts'
import type { RunnerChannel } from './runner-channel.ts'
import type { RunnerDatabase, SqlHost } from './runner-database.ts'
import { type RunRequest, StatementRun } from './statement-run.ts'

/** A statement keeps what was bound to it last; one that holds more than this is closed. */
const KEPT_TEXT_UNITS_MAX = 64 * 1024

/** A program whose statements stay compiled from run to run. */
export class RunnerProgram {
  readonly #program: CompiledSql
  readonly #database: RunnerDatabase
  readonly #host: SqlHost
  readonly #statements = new Map<CompiledText, StatementSync>()

  constructor(program: CompiledSql, database: RunnerDatabase, host: SqlHost) {
    this.#program = program
    this.#database = database
    this.#host = host
  }

  /** Runs all statements; rows go to the channel. Throws a PlacedFailure. Answers the count of rows. */
  run(order: RunRequest, channel: RunnerChannel): number {
    let rowCount = 0
    this.#program.statements.forEach((statement, index) => {
      const run = new StatementRun({ order, channel, index, rowsLeft: order.rowsMax - rowCount })
      rowCount += this.#runStatement(statement, run)
    })
    return rowCount
  }

  /** Gives back what the compiled statements hold. */
  close(): void {
    for (const statement of this.#statements.values()) statement.close()
    this.#statements.clear()
  }

  #runStatement(statement: CompiledStatement, run: StatementRun): number {
    const { query } = statement
    try {
      // Options come first: tables of both may have the same names.
      if (statement.kind === 'insert' && statement.options !== undefined) {
        this.#sendOptions(statement.options, run)
      }
      this.#fillTables(query, run)
      if (statement.kind === 'set') {
        run.order.variables[statement.variable] = this.#oneRow(query, run)[0]
        return 0
      }
      return this.#withStatement(query, run, (compiled, bound) =>
        run.sendRows(query.columns.length, compiled.iterate(bound)),
      )
    } catch (error) {
      throw placeFailure(error, query)
    }
  }

  #sendOptions(options: CompiledQuery, run: StatementRun): void {
    try {
      this.#fillTables(options, run)
      run.sendOptions(this.#oneRow(options, run))
    } catch (error) {
      throw placeFailure(error, options)
    }
  }

  #fillTables({ sources, reads }: CompiledQuery, run: StatementRun): void {
    this.#database.makeTables([
      ...sources.map(({ table, columnCount }) => ({ name: table, columnCount })),
      ...reads.map(({ table, columns }) => ({ name: table, columnCount: columns.length })),
    ])
    // Texts may come from stored tables, these depend on no text.
    reads.forEach(({ table, columns, ask }, index) => {
      const given = ask?.given === undefined ? [] : this.#oneRow(ask.given, run)
      const bounds = ask?.bounds === undefined ? [] : this.#boundsOf(ask.bounds, run)
      const want = { read: index, columnCount: columns.length, given, bounds }
      this.#database.fillTable(table, (insert) => run.readInput(want, insert))
    })
    for (const source of sources) this.#fillFromText(source, run)
  }

  /** What conditions compare with; a value that fails may never be needed, so it restricts nothing. */
  #boundsOf(bounds: CompiledText, run: StatementRun): readonly RowCell[] | undefined {
    try {
      return this.#oneRow(bounds, run)
    } catch {
      return undefined
    }
  }

  #fillFromText(source: CompiledSource, run: StatementRun): void {
    const cell = this.#textOf(source, run)
    const text = cell instanceof Uint8Array ? String(cell[0] === 1) : cell
    this.#database.fillTable(source.table, (insert) => this.#host.loadSource(source, text, insert))
  }

  #textOf({ text }: CompiledSource, run: StatementRun): RowCell {
    if ('variable' in text) return run.order.variables[text.variable]
    try {
      return this.#oneRow(text.query, run)[0]
    } catch (error) {
      throw placeFailure(error, text.query)
    }
  }

  #oneRow(query: CompiledText, run: StatementRun): readonly RowCell[] {
    return this.#withStatement(query, run, (compiled, bound) => {
      // Node's types know rows as objects only; this statement gives arrays.
      const row = compiled.get(bound) as unknown as RowCell[] | undefined
      if (row === undefined) throw new SqlFailure('gives no row where one is needed')
      return row
    })
  }

  #withStatement<T>(
    query: CompiledText,
    { order }: StatementRun,
    use: (compiled: StatementSync, bound: Record<string, RowCell>) => T,
  ): T {
    const compiled = this.#statementOf(query)
    this.#database.variables = order.variables
    const bound: Record<string, RowCell> = {}
    let units = 0
    for (const number of query.variables) {
      const value = order.variables[number]
      bound[`v${number}`] = value
      if (typeof value === 'string') units += value.length
    }
    if (query.readsNow) bound.now = order.now
    let isKept = false
    try {
      const given = use(compiled, bound)
      const failure = this.#database.takeFailure()
      if (failure !== undefined) throw failure
      isKept = units <= KEPT_TEXT_UNITS_MAX
      return given
    } catch (error) {
      // What other functions of groups do when one has failed hides what it has thrown.
      throw this.#database.takeFailure() ?? error
    } finally {
      // One that has failed would fail once more when it is run the next time.
      if (!isKept) {
        compiled.close()
        this.#statements.delete(query)
      }
    }
  }

  #statementOf(query: CompiledText): StatementSync {
    return this.#statements.getOrInsertComputed(query, () => {
      this.#database.addFunctions(query.functions, this.#host.registerFunctions)
      return this.#database.prepare(query.sql, query.columns.length)
    })
  }
}
