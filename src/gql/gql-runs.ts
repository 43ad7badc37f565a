/** GS SQL as a caller runs it: compiled, run by a runner, and the rows of its INSERTs put as one call. */
import {
  invariant,
  type MemoryBudget,
  type MemoryShare,
  metricText,
  SAMPLES_PER_CALL_MAX,
} from '../base/index.ts'
import { ExpressionError } from '../expression/index.ts'
import type { Feed } from '../feed/index.ts'
import type { PutCommand, PutOptions } from '../feed/put/index.ts'
import {
  type CompiledSql,
  type CompileThread,
  failureAt,
  type RowCell,
  type SqlRunners,
  type WantedRead,
} from '../sql/index.ts'
import { CompiledTexts, type RunnableText } from './compiled-texts.ts'
import { fedBatches } from './fed-batches.ts'
import { type FedProgram, feedTables } from './fed-tables.ts'
import type { GqlOutcome, GqlRun, GqlText, StoredReads } from './gql-run.ts'
import { InsertRows } from './insert-rows.ts'
import { mistakeRefusal, placedRefusal, runRefusal } from './sql-refusals.ts'

/** Rows of SELECTs if the caller says nothing else. */
const ROWS_MAX_DEFAULT = 1_000_000

/** INSERT OR REPLACE replaces the samples it names, and none between them. */
const PUT_OPTIONS: PutOptions = {
  creation: {},
  isAutofill: false,
  deriveStreamsMax: 0,
  deriveTimeoutMs: 0,
}

/** What runs are made with. */
interface GqlParts {
  readonly runners: SqlRunners
  /** Where long texts are compiled. */
  readonly compiler: Pick<CompileThread, 'compile'>
  readonly feed: Feed
  readonly budget: MemoryBudget
  /** The account that runs of an organization are counted for; the organization itself if unsaid. */
  readonly accountOf?: (organizationUid: string) => string
  /** What hands over stored data; without it there are no stored tables. */
  readonly stored?: StoredReads
}

/** A compiled text, of which tables may be filled with the rows of a result. */
type FedText = RunnableText & Partial<Pick<FedProgram, 'planOf'>>

/** Runs texts of GS SQL. */
export class GqlRuns {
  readonly #parts: GqlParts
  readonly #texts: CompiledTexts
  readonly #fed = new WeakMap<CompiledSql, FedProgram>()
  #sampleCount = 0

  constructor(parts: GqlParts) {
    this.#parts = parts
    this.#texts = new CompiledTexts(parts.compiler)
  }

  /** Compiles a long text apart from the main loop, so that `check` need not. Reports no errors. */
  async prepare(text: GqlText & Pick<GqlRun, 'key'>): Promise<void> {
    await this.#texts.prepare(this.#about(text), text.key)
  }

  /** Refuses a text with a mistake, as `bad_sql`. */
  check(text: GqlText): void {
    this.#compile(text, 'bad_sql')
  }

  /** How often a text takes @JDBC_RESULT as rows, by CSV_TABLE alone; undefined where it needs it as a text. */
  readsOfResult(text: GqlText & Pick<GqlRun, 'key'>): number | undefined {
    return this.#fedOf(this.#compile(text, 'sql_error').program)?.readCount
  }

  /** The first mistake of a text; undefined where it can be run. */
  async mistakeIn(text: GqlText): Promise<ExpressionError | undefined> {
    await this.prepare(text)
    try {
      this.#texts.take(this.#about(text))
      return undefined
    } catch (error) {
      if (error instanceof ExpressionError) return error
      throw error
    }
  }

  /**
   * Runs a text. The samples of all its INSERTs are stored, durably, when it resolves; when it fails, none is.
   * Refuses mistakes and failures with their place, and samples as a put does.
   */
  async run(run: GqlRun): Promise<GqlOutcome> {
    await this.prepare(run)
    const compiled = this.#compile(run, run.mistake ?? 'sql_error')
    const fed = run.resultRows === undefined ? undefined : this.#fedOf(compiled.program)
    invariant(run.resultRows === undefined || fed !== undefined, 'a text needs what came as rows')
    const text: FedText =
      fed === undefined ? compiled : { ...compiled, ...fed, key: `${compiled.key} fed` }
    if (text.readsStored) await this.#parts.stored?.require(run)
    const share = this.#parts.budget.emptyShare()
    try {
      const { onSamples, samplesMax = SAMPLES_PER_CALL_MAX } = run
      const shownAt = run.isDry ? run.now : undefined
      const inserts = new InsertRows(text, { share, shownAt, samplesMax, onSamples })
      const rowCount = await this.#runStatements(text, run, inserts)
      const { lastSelect, program } = text
      const columns = lastSelect < 0 ? [] : program.statements[lastSelect].query.columns
      try {
        return { columns, rowCount, ...(await this.#store(run, inserts, share)) }
      } catch (error) {
        throw placedRefusal(error, program, inserts)
      }
    } finally {
      share.release()
    }
  }

  /** Counts since the start, in Prometheus' text format. */
  metrics(): string {
    const { compiledCount } = this.#texts
    return [
      metricText('weir_gql_compiled_total', 'counter', 'GS SQL queries compiled.', compiledCount),
      metricText(
        'weir_gql_samples_total',
        'counter',
        'Samples stored by INSERT.',
        this.#sampleCount,
      ),
    ].join('')
  }

  #compile(text: GqlText & Pick<GqlRun, 'key'>, code: 'bad_sql' | 'sql_error'): RunnableText {
    try {
      const compiled = this.#texts.take(this.#about(text), text.key)
      if (text.allows.insert || compiled.firstInsert < 0) return compiled
      const { query } = compiled.program.statements[compiled.firstInsert]
      throw failureAt(text.sql, query, {
        message: 'Only SET and SELECT can be run here, no INSERT',
      })
    } catch (error) {
      throw error instanceof ExpressionError ? mistakeRefusal(error, code) : error
    }
  }

  /** Made once for each program, as runners keep what is the very same. */
  #fedOf(program: CompiledSql): FedProgram | undefined {
    const known = this.#fed.get(program)
    if (known !== undefined) return known
    const fed = feedTables(program)
    if (fed !== undefined) this.#fed.set(program, fed)
    return fed
  }

  #about({ sql, timeZoneId, allows }: GqlText) {
    return { sql, timeZoneId, stored: allows.stored ? this.#parts.stored?.tables : undefined }
  }

  /** Answers the count of rows of the last SELECT. */
  async #runStatements(text: FedText, run: GqlRun, inserts: InsertRows): Promise<number> {
    const { program, lastSelect } = text
    const { runners, accountOf } = this.#parts
    const { organizationUid, kind } = run
    const owner = accountOf?.(organizationUid) ?? organizationUid
    const rowsMax = run.rowsMax ?? ROWS_MAX_DEFAULT
    let selected = 0
    let rowCount = 0
    const takeSelected = async (number: number, rows: RowCell[][]): Promise<void> => {
      const { query } = program.statements[number]
      const room = rowsMax - selected
      selected += rows.length
      if (number === lastSelect) {
        rowCount += rows.length
        // One row beyond the limit shows that there are more.
        await run.onRows?.(rows.length > room ? rows.slice(0, room + 1) : rows, query.columns)
      }
      if (rows.length <= room) return
      const message = `Cannot run this: it returns more than ${rowsMax} rows`
      throw mistakeRefusal(failureAt(program.text, query, { message }), 'sql_error')
    }
    try {
      await runners.run({
        owner,
        kind,
        key: text.key,
        program,
        variables: run.variables,
        now: run.now,
        rowsMax: rowsMax + inserts.samplesMax + 1,
        signal: run.signal,
        onRows: (number, rows) =>
          program.statements[number].kind === 'insert'
            ? withPlace(program, inserts, () => inserts.takeRows(number, rows))
            : takeSelected(number, rows),
        onOptions: (number, row) =>
          withPlace(program, inserts, () => inserts.takeOptions(number, row)),
        openRead: (wanted) => this.#openRead(text, run, wanted),
      })
    } catch (error) {
      throw runRefusal(error, program)
    }
    return rowCount
  }

  /** Puts the rows of all INSERTs, or tries to. */
  async #store(
    run: GqlRun,
    inserts: InsertRows,
    share: MemoryShare,
  ): Promise<Omit<GqlOutcome, 'columns' | 'rowCount'>> {
    const { feed } = this.#parts
    await inserts.handOver()
    const { samples, rowCount, sampleCount, shown } = inserts
    const { isDry, renew, signal } = run
    if (rowCount === 0 || run.onSamples !== undefined) {
      return { sampleCount, warnings: [], ...(isDry ? { samples: [], created: [] } : {}) }
    }
    const principal = renew === undefined ? run.principal : await renew()
    invariant(principal.orgUid === run.organizationUid, 'a run is of another organization')
    signal?.throwIfAborted()
    const put: PutCommand = {
      samples,
      options: PUT_OPTIONS,
      uploadTime: run.now,
      share,
      renew,
      repeat: run.repeat,
    }
    if (isDry) {
      const { created } = await feed.tryPut(principal, put)
      return { sampleCount, warnings: shown?.warnings ?? [], samples: shown?.list ?? [], created }
    }
    const warnings = await feed.put(principal, put)
    this.#sampleCount += sampleCount
    return { sampleCount, warnings }
  }

  #openRead({ program, planOf }: FedText, run: GqlRun, wanted: WantedRead) {
    const { stored } = this.#parts
    const plan = planOf?.(wanted.statement, wanted.read)
    if (plan !== undefined && run.resultRows !== undefined) {
      return fedBatches(run.resultRows(), plan)
    }
    if (stored === undefined) throw new Error('BUG: stored data is read that nobody hands over')
    const read = program.statements[wanted.statement].query.reads[wanted.read]
    return stored.open({ read, wanted, run })
  }
}

function withPlace<T>(program: CompiledSql, inserts: InsertRows, take: () => T): T {
  try {
    return take()
  } catch (error) {
    throw placedRefusal(error, program, inserts)
  }
}
